// The languages that programs are written in, and which of them can do what. Pure.

import { FLOW_LABELS, type Flow, type Given, isPlain } from './given.ts'
import { browser } from './programs/browser.ts'
import { curl } from './programs/curl.ts'
import { go } from './programs/go.ts'
import { node } from './programs/node.ts'
import { python } from './programs/python.ts'

export const LANGUAGES = ['curl', 'browser', 'node', 'python', 'go'] as const
export type Language = (typeof LANGUAGES)[number]

interface LanguageWords {
  label: string
  /** What the program is saved as. */
  file: string
  /** What it needs, and how it is run. */
  run: string
  comment: '#' | '//'
}

export const LANGUAGE_WORDS: Record<Language, LanguageWords> = {
  curl: { label: 'curl', file: 'token.sh', run: 'sh token.sh', comment: '#' },
  browser: { label: 'Browser', file: 'sign-in.js', run: 'npm install openid-client@6', comment: '//' },
  node: {
    label: 'Node',
    file: 'token.mjs',
    run: 'npm install openid-client@6 && node token.mjs',
    comment: '//',
  },
  python: {
    label: 'Python',
    file: 'token_example.py',
    run: 'pip install requests && python3 token_example.py',
    comment: '#',
  },
  go: {
    label: 'Go',
    file: 'main.go',
    run: 'go mod init example && go get golang.org/x/oauth2 && go run .',
    comment: '//',
  },
}

/** The program, or why this language cannot do it for this client. */
export function programOf(
  language: Language,
  flow: Flow,
  given: Given,
): { text: string } | { reason: string; instead: string } {
  if (flow === 'code' && given.redirectUri === '')
    return { reason: 'This client has no redirect URI: nobody could come back.', instead: 'Add one first.' }
  if ((language === 'browser' || language === 'node') && flow === 'code' && !isPlain(given.redirectUri))
    return {
      reason:
        'openid-client sends a redirect URI without its query, and the server compares letter by letter.',
      instead: 'Take another language, or add a redirect URI without a query.',
    }
  if (language === 'browser') {
    if (flow !== 'code')
      return {
        reason: `${FLOW_LABELS[flow]} is not for browsers.`,
        instead: 'Run it on a server or a device.',
      }
    if (given.method !== 'none')
      return {
        reason: 'This client has a secret, and a browser cannot keep one.',
        instead: 'Make a public client for the page, or let its server fetch the tokens.',
      }
    return { text: browser.code(given) }
  }
  if (language === 'go' && flow === 'device' && given.method !== 'none')
    return {
      reason:
        'golang.org/x/oauth2 asks for a device code without authentication, and this client must authenticate.',
      instead: 'Take another language, or a public client.',
    }
  return { text: { curl, node, python, go }[language][flow](given) }
}
