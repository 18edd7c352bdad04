// The colours of a token's parts; beside each stands its name.

import type { PartName } from '../../../parts/jwt.ts'

export const PARTS: readonly PartName[] = ['header', 'payload', 'signature']

export const PART_LOOKS: Readonly<Record<PartName, { name: string; text: string; line: string }>> = {
  header: { name: 'Header', text: 'text-kumo-info', line: 'border-l-kumo-info' },
  payload: { name: 'Payload', text: 'text-kumo-success', line: 'border-l-kumo-success' },
  signature: {
    name: 'Signature',
    text: 'text-kumo-badge-orange-subtle',
    line: 'border-l-kumo-warning',
  },
}
