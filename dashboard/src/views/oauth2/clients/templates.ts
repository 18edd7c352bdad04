// What a new client may begin as. Pure: the address names one, and the route checks it before the editor is loaded.

import { DEVICE_GRANT } from '../../../parts/oauth/grants.ts'
import { type ClientDraft, EMPTY_DRAFT } from './editor/draft.ts'

export const TEMPLATES = ['browser', 'server', 'machine', 'device', 'blank'] as const
export type Template = (typeof TEMPLATES)[number]

export const TEMPLATE_WORDS: Record<Template, { label: string; sentence: string }> = {
  browser: {
    label: 'Single-page or mobile app (PKCE)',
    sentence:
      'People sign in in their browser. Nothing there can keep a secret, so it has none and proves itself by PKCE.',
  },
  server: {
    label: 'Web server app',
    sentence: 'People sign in in their browser, and your server fetches the tokens with its secret.',
  },
  machine: {
    label: 'Machine to machine',
    sentence:
      'A job or a service acts for itself, with nobody signed in. It has a secret and no redirect URI.',
  },
  device: {
    label: 'Device (TV, CLI)',
    sentence: 'It shows a code, and its owner signs in on a phone or a computer.',
  },
  blank: { label: 'Something else', sentence: 'Every choice is yours.' },
}

const WITH_PEOPLE = ['openid', 'offline_access']

export function draftFrom(template: Template): ClientDraft {
  switch (template) {
    case 'browser':
      return {
        ...EMPTY_DRAFT,
        grant_types: ['authorization_code', 'refresh_token'],
        scope: WITH_PEOPLE,
        token_endpoint_auth_method: 'none',
      }
    case 'server':
      return { ...EMPTY_DRAFT, grant_types: ['authorization_code', 'refresh_token'], scope: WITH_PEOPLE }
    case 'machine':
      return { ...EMPTY_DRAFT, grant_types: ['client_credentials'], response_types: [] }
    case 'device':
      return {
        ...EMPTY_DRAFT,
        grant_types: [DEVICE_GRANT, 'refresh_token'],
        response_types: [],
        scope: WITH_PEOPLE,
        token_endpoint_auth_method: 'none',
      }
    case 'blank':
      return EMPTY_DRAFT
  }
}
