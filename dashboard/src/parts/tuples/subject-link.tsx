// Who has a relation: a person, all who have a relation themselves, or an object. Leads to what they have.

import { Link } from '@cloudflare/kumo'
import { CubeIcon, UserIcon, UsersThreeIcon } from '@phosphor-icons/react'
import { addressOf } from '../../app/address.ts'
import { parseSubject, printSubject, type Subject } from './tuple-text.ts'
import { plural } from './words.ts'

export function SubjectIcon({ of: { subject_set: set } }: { of: Subject }) {
  const Icon = set === undefined ? UserIcon : set.relation === '' ? CubeIcon : UsersThreeIcon
  return <Icon aria-hidden="true" className="shrink-0 text-kumo-subtle" />
}

/** `alice`, or `admins of acme` with its namespace. All of it is text from outside. */
export function SubjectName({ of: subject }: { of: Subject }) {
  const { subject_id: id, subject_set: set } = subject
  return (
    <span className="inline-flex max-w-full items-center gap-1.5 align-bottom">
      <SubjectIcon of={subject} />
      <span className="truncate" title={printSubject(subject)}>
        {set === undefined
          ? id
          : set.relation === ''
            ? set.object
            : `${plural(set.relation)} of ${set.object}`}
        {set !== undefined && <span className="ml-1.5 text-xs text-kumo-subtle">{set.namespace}</span>}
      </span>
    </span>
  )
}

export function SubjectLink({ text, href = rolesHref(text) }: { text: string; href?: string }) {
  return (
    <Link variant="plain" href={href} className="max-w-full hover:underline">
      <SubjectName of={parseSubject(text)} />
    </Link>
  )
}

/** An object's name, which leads to who can access it; `chosen` opens a chain there. */
export function ObjectLink({
  of: { namespace, object },
  chosen,
}: {
  of: { namespace: string; object: string }
  chosen?: Record<string, string>
}) {
  return (
    <Link
      variant="plain"
      href={accessHref({ namespace, object }, chosen)}
      className="block truncate hover:underline"
      title={`Who can access ${namespace}:${object}`}
    >
      <span className="mr-1.5 text-xs text-kumo-subtle">{namespace}</span>
      {object}
    </Link>
  )
}

/** Everything that a subject has, in the view of roles. */
export function rolesHref(subject: string): string {
  return addressOf('/permissions/roles', { subject })
}

/** Who can access an object; `subject` and `by` open a chain. */
export function accessHref(
  object: { namespace: string; object: string },
  chosen: Record<string, string> = {},
): string {
  const { namespace, object: name } = object
  return addressOf('/permissions/who-can-access', { namespace, object: name, ...chosen })
}
