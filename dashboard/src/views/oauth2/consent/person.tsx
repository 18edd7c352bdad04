import { Link } from '@cloudflare/kumo'
import { useQuery } from '@tanstack/react-query'
import { useSession } from '../../../api/session.ts'
import { CopyText } from '../../../parts/copy-text.tsx'
import { Fact, Facts } from '../../../parts/facts.tsx'
import { identityQuery } from '../../../parts/identities.ts'
import { emailOf, nameOf } from '../../../parts/person.ts'

/** Whose consents these are. Administrators see who that is; everybody sees themselves. */
export function Person({ subject }: { subject: string }) {
  const { is_admin: isAdmin, identity: self } = useSession()
  const { data: person } = useQuery({ ...identityQuery(subject), enabled: isAdmin })
  const own = self.id === subject ? self : undefined
  const name = (person && nameOf(person)) ?? own?.name
  const email = (person && emailOf(person)) ?? own?.email
  const audit = new URLSearchParams({ target_kind: 'subject', target_id: subject })
  return (
    <Facts>
      {(name ?? email) && (
        <Fact label="Person">
          <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
            <span>
              {name} {email && <span className="text-kumo-subtle">{email}</span>}
              {own !== undefined && ' (you)'}
            </span>
            {isAdmin && <Link href={`/identities/${encodeURIComponent(subject)}`}>Open identity</Link>}
            {isAdmin && <Link href={`/audit-log?${audit}`}>Changes in the audit log</Link>}
          </span>
        </Fact>
      )}
      <Fact label="Id" help="sub in tokens">
        <CopyText value={subject} whole />
      </Fact>
    </Facts>
  )
}
