// For an installation without a client: what to do first, and what each is good for.

import { LayerCard, LinkButton } from '@cloudflare/kumo'
import { CheckCircleIcon, CircleIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { bridgeQuery } from '../../../api/platform.ts'
import { claimsQuery, clientsQuery } from '../../../parts/oauth/queries.ts'
import { Section } from '../../../parts/page.tsx'

/** Shows nothing once there is a client. */
export function FirstSteps() {
  const { data: clients } = useQuery(clientsQuery)
  const { data: bridge } = useQuery(bridgeQuery)
  const { data: claims } = useQuery(claimsQuery)
  if (clients === undefined || clients.length > 0) return null
  const hasClaims =
    claims !== undefined &&
    Object.keys({ ...claims.id_token_claims, ...claims.access_token_claims }).length > 0
  return (
    <Section title="First steps" lead="No application signs anybody in yet. This is how the first one does.">
      <LayerCard className="p-0">
        <ol className="divide-y divide-kumo-hairline">
          <Step
            title="Connect the servers"
            why="The bridge below says “Ready” when sign-ins can reach the identity provider."
            isDone={bridge?.bridge_ready === true}
          />
          <Step
            title="Create a client"
            why="The OAuth2 server gives tokens only to applications that it knows."
            href="/oauth2/clients?create=true"
            action="Create client"
          />
          <Step
            title="Try a sign-in"
            why="The flow tester walks through it with you, and shows every request."
            href="/oauth2/flow-tester"
            action="Open flow tester"
          />
          <Step
            title="Choose claims"
            why="Put a plan, groups or a team into tokens, so that applications need not ask for them."
            href="/oauth2/claims"
            action="Edit claims"
            isDone={hasClaims}
          />
          <Step
            title="Build it in"
            why="Snippets with your addresses and client, ready to run."
            href="/oauth2/snippets"
            action="Open snippets"
          />
        </ol>
      </LayerCard>
    </Section>
  )
}

function Step({
  title,
  why,
  href,
  action,
  isDone = false,
}: {
  title: string
  why: string
  href?: string
  action?: string
  isDone?: boolean
}) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5">
      {isDone ? (
        <CheckCircleIcon weight="fill" size={20} className="shrink-0 text-kumo-success" aria-label="Done" />
      ) : (
        <CircleIcon size={20} className="shrink-0 text-kumo-subtle" aria-label="To do" />
      )}
      <div className="min-w-0 flex-1 basis-52">
        <p className="font-medium">{title}</p>
        <p className="text-kumo-subtle">{why}</p>
      </div>
      {href !== undefined && !isDone && (
        <LinkButton href={href} size="sm" variant="secondary">
          {action}
        </LinkButton>
      )}
    </li>
  )
}
