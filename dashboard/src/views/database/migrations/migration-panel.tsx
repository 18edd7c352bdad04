// One migration beside the list: its text, what it would do, and what can be done with it.

import { Banner, Button, Link } from '@cloudflare/kumo'
import { WarningCircleIcon } from '@phosphor-icons/react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { CodeEditor } from '../../../parts/code-editor.tsx'
import { CopyText } from '../../../parts/copy-text.tsx'
import { ErrorNotice } from '../../../parts/error-notice.tsx'
import { Fact, Facts, None } from '../../../parts/facts.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { SidePanel } from '../../../parts/side-panel.tsx'
import { Time } from '../../../parts/time.tsx'
import { AcceptDialog } from './accept-dialog.tsx'
import { FindingList } from './finding-list.tsx'
import { MarkAppliedDialog } from './mark-applied-dialog.tsx'
import { MigrationState, STATE_MEANINGS } from './migration-state.tsx'
import { detectSchema, type Finding, type Migration, previewQuery } from './queries.ts'
import { SchemaReportView } from './schema-report-view.tsx'
import { appliedPart, appliedWords, isSql } from './sql-file.ts'

export function MigrationPanel({
  of: migration,
  isOutside,
  findings,
  onRun,
  onClose,
}: {
  of: Migration
  isOutside: boolean
  findings: readonly Finding[]
  onRun: () => void
  onClose: () => void
}) {
  const { name, state, problem } = migration
  const preview = useQuery({ ...previewQuery(name), enabled: state !== 'orphaned' })
  const [open, setOpen] = useState<'mark' | 'accept'>()
  const text = preview.data?.content
  const detect = useMutation({
    mutationFn: () => detectSchema(preview.data ? appliedPart(preview.data) : ''),
  })
  const close = () => setOpen(undefined)
  return (
    <SidePanel isWide title={name} onClose={onClose}>
      {state !== 'orphaned' && (
        <div className="flex flex-wrap gap-2">
          {state === 'pending' && (
            <>
              <Button
                variant="primary"
                disabled={problem !== null}
                title={problem === null ? undefined : 'It cannot run: the reason is below'}
                onClick={onRun}
              >
                Run this one
              </Button>
              <Button onClick={() => setOpen('mark')}>Mark as applied</Button>
            </>
          )}
          {state === 'modified' && <Button onClick={() => setOpen('accept')}>Accept the file</Button>}
          <Button
            loading={detect.isPending}
            disabled={text === undefined || !isSql(name)}
            title={isSql(name) ? undefined : 'Only the SQL of .sql files can be looked at'}
            onClick={() => detect.mutate()}
          >
            Check what exists
          </Button>
        </div>
      )}
      {problem !== null && (
        <Banner
          variant="error"
          size="sm"
          icon={<WarningCircleIcon weight="fill" />}
          title="It cannot run"
          description={problem}
        />
      )}
      <ErrorNotice error={detect.error} />
      {detect.data !== undefined && <SchemaReportView of={detect.data} />}
      <Facts>
        <Fact label="State">
          <MigrationState of={migration} />
          <p className="mt-0.5 text-kumo-subtle">{STATE_MEANINGS[state]}</p>
        </Fact>
        {isOutside && (
          <Fact label="Transaction">
            It asks for none: the files before it are committed first, and it runs on its own.
          </Fact>
        )}
        {preview.data !== undefined && appliedWords(preview.data) !== undefined && (
          <Fact label="Lines that run">
            {appliedWords(preview.data)}
            {preview.data.tool !== null && (
              <p className="mt-0.5 text-kumo-subtle">As the marks of {preview.data.tool} divide the file.</p>
            )}
          </Fact>
        )}
        <Fact label="Applied">
          {migration.applied_at === null ? <None>not yet</None> : <Time at={migration.applied_at} />}
        </Fact>
        {state !== 'pending' && (
          <Fact label="SHA-256 when applied">
            {migration.stored_hash === null ? (
              <None>not kept: node-pg-migrate’s command line applied it</None>
            ) : (
              <CopyText value={migration.stored_hash} head={16} tail={16} />
            )}
          </Fact>
        )}
        {migration.file_hash !== '' && (
          <Fact label="SHA-256 of the file">
            <CopyText value={migration.file_hash} head={16} tail={16} />
          </Fact>
        )}
        <Fact label="History">
          <Link href="/audit-log?target_kind=migration">Migrations in the audit log</Link>
        </Fact>
      </Facts>
      {state === 'pending' && (
        <section className="flex flex-col gap-2">
          <h3 className="font-medium">What it would do</h3>
          <FindingList findings={findings} isOfOneFile />
        </section>
      )}
      {state !== 'orphaned' && (
        <section className="flex flex-col gap-2">
          <h3 className="font-medium">
            The file{preview.data !== undefined && `, ${preview.data.lines.toLocaleString('en')} lines`}
          </h3>
          <Loaded query={preview}>
            {({ content }) => (
              <CodeEditor
                label={`Text of ${name}`}
                value={content}
                language={isSql(name) ? 'sql' : 'text'}
                isReadOnly
              />
            )}
          </Loaded>
        </section>
      )}
      {open === 'mark' && <MarkAppliedDialog name={name} onClose={close} />}
      {open === 'accept' && <AcceptDialog of={migration} content={text} onClose={close} />}
    </SidePanel>
  )
}
