// One person: what is known of them, where they are signed in, and the ways to what they may and did.

import { Banner, Link } from '@cloudflare/kumo'
import { InfoIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { IDENTITY_PUBLIC_URL } from '../../api/addresses.ts'
import type { Schema } from '../../api/client.ts'
import { JsonView } from '../../parts/code-editor.tsx'
import { CopyText } from '../../parts/copy-text.tsx'
import { Fact, Facts, None } from '../../parts/facts.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page, Section } from '../../parts/page.tsx'
import { nameOf, roleOf, titleOf } from '../../parts/person.ts'
import { State } from '../../parts/state.tsx'
import { Time } from '../../parts/time.tsx'
import { IdentityState } from './identity-state.tsx'
import { identityQuery } from './queries.ts'
import { Sessions } from './sessions.tsx'

type IdentityDetail = Schema<'IdentityDetail'>

const route = getRouteApi('/identities/$id')

export function IdentityPage() {
  const { id } = route.useParams()
  const query = useQuery(identityQuery(id))
  return (
    <Page
      title={query.data === undefined ? 'Identity' : titleOf(query.data)}
      lead="What the identity provider knows of this person. The account itself is changed there."
      crumb={<Link href="/identities">Identities</Link>}
    >
      <Loaded query={query}>{person => <Person of={person} />}</Loaded>
    </Page>
  )
}

function Person({ of: person }: { of: IdentityDetail }) {
  const subject = new URLSearchParams({ subject: person.id })
  return (
    <>
      <nav aria-label="More of this person" className="flex flex-wrap gap-x-6 gap-y-2">
        <Link href={`/permissions/roles?${subject}`}>What they may access</Link>
        <Link href={`/oauth2/consent?${subject}`}>Applications they agreed to</Link>
        <Link href={`/audit-log?${new URLSearchParams({ actor_id: person.id })}`}>What they changed</Link>
        <Link href={`/audit-log?${new URLSearchParams({ target_kind: 'identity', target_id: person.id })}`}>
          Changes to this person
        </Link>
      </nav>
      <Facts>
        <Fact label="State">
          <IdentityState of={person} />
        </Fact>
        <Fact label="Name">{nameOf(person) ?? <None>not given</None>}</Fact>
        <Fact label="Role" help="metadata_public.role: decides about this dashboard">
          {roleOf(person) ?? <None />}
        </Fact>
        <Fact label="Id" help="The subject (sub) of tokens and permissions">
          <CopyText value={person.id} whole />
        </Fact>
        <Fact label="Addresses">
          <Addresses of={person} />
        </Fact>
        <Fact label="Recovered by">
          {person.recovery_addresses.length === 0 ? (
            <None />
          ) : (
            person.recovery_addresses.map(({ value }) => value).join(', ')
          )}
        </Fact>
        <Fact label="Created">{person.created_at === null ? <None /> : <Time at={person.created_at} />}</Fact>
        <Fact label="Changed">{person.updated_at === null ? <None /> : <Time at={person.updated_at} />}</Fact>
        <Fact label="Schema">{person.schema_id}</Fact>
      </Facts>
      <Sessions of={person} />
      <Section title="Traits" lead="What the person may change themselves.">
        <JsonView value={person.traits} label="Traits" />
      </Section>
      <Section
        title="Metadata"
        lead="Public metadata reaches the person and, through the claims, tokens. Only administrators see the rest."
      >
        <JsonView
          value={{ metadata_public: person.metadata_public, metadata_admin: person.metadata_admin }}
          label="Metadata"
        />
      </Section>
      <Banner
        variant="secondary"
        icon={<InfoIcon weight="fill" />}
        title="Passwords, second factors and traits are changed at the identity provider"
        description={`Quoin never sees credentials. The provider’s own pages are at ${IDENTITY_PUBLIC_URL}.`}
      />
    </>
  )
}

function Addresses({ of: { verifiable_addresses: addresses } }: { of: IdentityDetail }) {
  if (addresses.length === 0) return <None>none that can be verified</None>
  return (
    <ul className="flex flex-col gap-1">
      {addresses.map(({ value, verified, via }) => (
        <li key={`${via} ${value}`} className="flex flex-wrap gap-x-3">
          {value}
          <State tone={verified ? 'good' : 'attention'}>{verified ? 'verified' : 'not verified'}</State>
        </li>
      ))}
    </ul>
  )
}
