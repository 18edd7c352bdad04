// Who would lose what on the object without a tuple. The server answers as if it were gone: chains alone cannot tell,
// since each is one way of several.

import { Table } from '@cloudflare/kumo'
import { useQuery } from '@tanstack/react-query'
import { Loaded, Outline } from '../../../parts/loaded.tsx'
import { SubjectName } from '../../../parts/tuples/subject-link.tsx'
import { parseSubject, type Tuple } from '../../../parts/tuples/tuple-text.ts'
import { type AccessReport, accessQuery, type ObjectName } from './queries.ts'
import { columnsOf, isComplete, lossesBetween } from './report.ts'

export function LossPreview({
  object,
  before,
  without,
}: {
  object: ObjectName
  before: AccessReport
  without: Tuple
}) {
  const query = useQuery({ ...accessQuery(object, [without]), staleTime: 0 })
  const isElsewhere = without.namespace !== object.namespace || without.object !== object.object
  return (
    <div className="flex flex-col gap-2" aria-live="polite">
      <Loaded query={query} outline={<Outline rows={2} />}>
        {after => <Losses before={before} after={after} object={object} />}
      </Loaded>
      {isElsewhere && (
        <p>
          This counts for {object.object} alone. The tuple is about {without.object}, so other objects that
          rest on it change too.
        </p>
      )}
    </div>
  )
}

function Losses({
  before,
  after,
  object,
}: {
  before: AccessReport
  after: AccessReport
  object: ObjectName
}) {
  const losses = lossesBetween(before, after)
  const isWhole = columnsOf(before).every(column => isComplete(before, column) && isComplete(after, column))
  const doubt = 'Not all could be looked at, so there may be more.'
  if (losses.length === 0)
    return (
      <p>
        {isWhole
          ? `Nobody loses anything on ${object.object}: everybody has another way.`
          : `Nobody was found who loses anything on ${object.object}. ${doubt}`}
      </p>
    )
  return (
    <>
      <p>
        {isWhole ? '' : 'At least '}
        {losses.length === 1 ? '1 subject' : `${losses.length.toLocaleString('en')} subjects`} would lose
        something on {object.object}. {isWhole ? '' : doubt}
      </p>
      <section
        className="max-h-56 overflow-auto rounded-md border border-kumo-hairline text-kumo-default"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
        aria-label="Who would lose what"
      >
        <Table className="[&_td]:py-1.5 [&_th]:py-1.5">
          <Table.Header>
            <Table.Row>
              <Table.Head>Who</Table.Head>
              <Table.Head>Loses</Table.Head>
              <Table.Head>Keeps</Table.Head>
            </Table.Row>
          </Table.Header>
          <Table.Body>
            {losses.map(({ subject, loses, keeps }) => (
              <Table.Row key={subject}>
                <Table.Cell className="max-w-40">
                  <SubjectName of={parseSubject(subject)} />
                </Table.Cell>
                <Table.Cell className="text-kumo-danger">{loses.join(', ')}</Table.Cell>
                <Table.Cell className="text-kumo-subtle">{keeps.join(', ') || 'nothing'}</Table.Cell>
              </Table.Row>
            ))}
          </Table.Body>
        </Table>
      </section>
    </>
  )
}
