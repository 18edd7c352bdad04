// The gateway: what Quoin stands on, part by part, and whom it lets in.

import { Page } from '../../parts/page.tsx'
import { Parts } from './parts.tsx'
import { Rules } from './rules.tsx'

export function GatewayPage() {
  return (
    <Page
      title="Gateway"
      lead="What every call goes through: the systems behind it, and the rules by which it is let in."
    >
      <Parts />
      <Rules />
    </Page>
  )
}
