// The permission language in short: each thing that can be written, with an example and what it means.

import { LayerCard } from '@cloudflare/kumo'
import { Section } from '../../../parts/page.tsx'

const PARTS: readonly { what: string; example: string; means: string }[] = [
  {
    what: 'A namespace',
    example: 'class Project implements Namespace { … }',
    means: 'A kind of object. Its tuples begin with Project: and an object’s name, which is yours to choose.',
  },
  {
    what: 'A relation',
    example: 'related: {\n  owner: User[]\n}',
    means: 'What somebody can have to an object, by a tuple such as Project:apollo#owner@alice.',
  },
  {
    what: 'A group as a subject',
    example: 'owner: (User | SubjectSet<Organization, "admin">)[]',
    means:
      'Project:apollo#owner@Organization:acme#admin makes all admins of acme owners, also those who come later.',
  },
  {
    what: 'An object as a subject',
    example: 'parent: Project[]',
    means:
      'Project:apollo#parent@Project:root# points from one object to another. It ends with # and no relation.',
  },
  {
    what: 'A permit',
    example:
      'permits = {\n  edit: (ctx: Context): boolean =>\n    this.related.owner.includes(ctx.subject)\n}',
    means: 'Follows from relations, and is asked for as they are. No tuple gives it directly.',
  },
  {
    what: 'Or, and, not',
    example: 'this.permits.edit(ctx) ||\nthis.related.viewer.includes(ctx.subject)',
    means: 'A permit may use others. With && and ! a check works, but who can access cannot list everybody.',
  },
  {
    what: 'Inherited',
    example: 'this.related.parent.traverse(\n  (p) => p.permits.view(ctx))',
    means: 'Whoever may view a parent may view this too. Each step costs one of the server’s depth.',
  },
]

export function LanguageReference() {
  return (
    <>
      <Section
        title="How it is written"
        lead="Ory’s permission language: a small part of TypeScript’s syntax."
      >
        <LayerCard className="p-0">
          <dl className="divide-y divide-kumo-hairline">
            {PARTS.map(({ what, example, means }) => (
              <div
                key={what}
                className="grid gap-x-6 gap-y-2 px-4 py-3 lg:grid-cols-[10rem_minmax(0,1fr)_minmax(0,1fr)]"
              >
                <dt className="font-medium">{what}</dt>
                <dd className="min-w-0">
                  <pre className="whitespace-pre-wrap wrap-anywhere">{example}</pre>
                </dd>
                <dd className="min-w-0 text-kumo-subtle">{means}</dd>
              </div>
            ))}
          </dl>
        </LayerCard>
      </Section>
      <Section title="How it is changed">
        <ol className="flex max-w-[75ch] list-decimal flex-col gap-2 pl-5">
          <li>
            Edit <Mono>permissions/namespaces.ts</Mono>. On this machine the local permission server reads it
            again at once.
          </li>
          <li>
            New namespaces or relations: give the permission server the file first, then deploy the Worker,
            which is built with it.
          </li>
          <li>
            Something goes: delete its tuples first. A check that meets a relation which nobody declares
            fails. Permissions, filtered by relation, deletes them.
          </li>
          <li>
            This page, and <Mono>/v1/status</Mono>, say where the server and this deployment disagree.
          </li>
        </ol>
      </Section>
    </>
  )
}

function Mono({ children }: { children: string }) {
  return <code>{children}</code>
}
