// Everything that somebody has, across all namespaces: by tuples of their own, which can be taken away, and by groups.

import { Button, Link, Table } from '@cloudflare/kumo'
import { PlusIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { None } from '../../../parts/facts.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { SidePanel } from '../../../parts/side-panel.tsx'
import { RemoveTuplesDialog } from '../../../parts/tuples/remove-dialog.tsx'
import { accessHref, ObjectLink, SubjectName } from '../../../parts/tuples/subject-link.tsx'
import { parseSubject, printSubject, printTuple, type Tuple } from '../../../parts/tuples/tuple-text.ts'
import { chainWords, subjectTextWords, subjectWords } from '../../../parts/tuples/words.ts'
import { type HeldRole, type HeldRoles, heldRolesQuery } from './held-roles.ts'

export function SubjectPanel({
  subject,
  onGive,
  onClose,
}: {
  subject: string
  onGive: () => void
  onClose: () => void
}) {
  const query = useQuery(heldRolesQuery(subject))
  const [taking, setTaking] = useState<Tuple>()
  return (
    <SidePanel
      title={subjectTextWords(subject)}
      actions={
        <Button icon={PlusIcon} onClick={onGive}>
          Give role
        </Button>
      }
      onClose={onClose}
    >
      <Loaded query={query}>{held => <Roles held={held} subject={subject} onTake={setTaking} />}</Loaded>
      {taking !== undefined && (
        <RemoveTuplesDialog
          title={`Take ${taking.relation} of ${taking.object} away from ${subjectTextWords(subject)}?`}
          action="Take away"
          tuples={[taking]}
          onClose={() => setTaking(undefined)}
        >
          <p>
            What follows from it goes too.{' '}
            <Link href={accessHref(taking, { subject: printSubject(taking), by: taking.relation })}>
              Who can access {taking.object}
            </Link>{' '}
            says who would lose what.
          </p>
        </RemoveTuplesDialog>
      )}
    </SidePanel>
  )
}

function Roles({
  held: { roles, isComplete },
  subject,
  onTake,
}: {
  held: HeldRoles
  subject: string
  onTake: (tuple: Tuple) => void
}) {
  const own = roles.filter(({ via }) => via.length === 1)
  const others = roles.filter(({ via }) => via.length > 1)
  return (
    <>
      <p className="text-base wrap-anywhere">{sentence(subject, roles)}</p>
      {!isComplete && (
        <p className="text-kumo-subtle">
          There is more than was looked into: this is at least what they have.
        </p>
      )}
      <RoleTable title="Of their own" roles={own} subject={subject} onTake={onTake} />
      {others.length > 0 && <RoleTable title="Through groups" roles={others} subject={subject} />}
      <p className="text-kumo-subtle">
        Permits follow from these roles. Who can access says them, object by object, as the permission server
        decides.
      </p>
    </>
  )
}

function RoleTable({
  title,
  roles,
  subject,
  onTake,
}: {
  title: string
  roles: readonly HeldRole[]
  subject: string
  onTake?: (tuple: Tuple) => void
}) {
  return (
    <section className="flex flex-col gap-2" aria-label={title}>
      <h3 className="font-semibold">{title}</h3>
      {roles.length === 0 ? (
        <None />
      ) : (
        <div className="overflow-x-auto rounded-md border border-kumo-hairline">
          <Table className="[&_td]:py-2 [&_th]:py-2">
            <Table.Header>
              <Table.Row>
                <Table.Head>Role</Table.Head>
                <Table.Head>Object</Table.Head>
                {onTake === undefined ? <Table.Head>Through</Table.Head> : <Table.Head className="w-px" />}
              </Table.Row>
            </Table.Header>
            <Table.Body>
              {roles.map(({ tuple, via }) => (
                <Table.Row key={via.join(' ')}>
                  <Table.Cell className="font-medium">{tuple.relation}</Table.Cell>
                  <Table.Cell className="max-w-52">
                    <ObjectLink of={tuple} chosen={{ subject, by: tuple.relation }} />
                  </Table.Cell>
                  {onTake === undefined ? (
                    <Table.Cell className="max-w-52" title={chainWords(via)}>
                      <SubjectName of={tuple} />
                    </Table.Cell>
                  ) : (
                    <Table.Cell>
                      <Button
                        size="sm"
                        variant="ghost"
                        aria-label={`Take away ${printTuple(tuple)}`}
                        onClick={() => onTake(tuple)}
                      >
                        Take away
                      </Button>
                    </Table.Cell>
                  )}
                </Table.Row>
              ))}
            </Table.Body>
          </Table>
        </div>
      )}
    </section>
  )
}

const NAMED_MAX = 12

/** "alice: admin of acme, owner of apollo (through admins of acme)". */
function sentence(subject: string, roles: readonly HeldRole[]): string {
  const who = subjectWords(parseSubject(subject))
  if (roles.length === 0) return `${who}: no role at all.`
  const named = roles.slice(0, NAMED_MAX).map(({ tuple, via }) => {
    const role = `${tuple.relation} of ${tuple.object}`
    return via.length === 1 ? role : `${role} (through ${subjectWords(tuple)})`
  })
  const rest = roles.length - NAMED_MAX
  return `${who}: ${named.join(', ')}${rest > 0 ? `, and ${rest.toLocaleString('en')} more` : ''}.`
}
