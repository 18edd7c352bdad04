// Which objects of a text exist already: for SQL that is pasted, or that of a file.

import { Button, Select } from '@cloudflare/kumo'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient } from '../../../api/query-client.ts'
import { CodeEditor } from '../../../parts/code-editor.tsx'
import { ErrorNotice } from '../../../parts/error-notice.tsx'
import { SidePanel } from '../../../parts/side-panel.tsx'
import { detectSchema, type Migration, previewQuery } from './queries.ts'
import { SchemaReportView } from './schema-report-view.tsx'
import { appliedPart, isSql } from './sql-file.ts'

export function DetectPanel({ files, onClose }: { files: readonly Migration[]; onClose: () => void }) {
  const [sql, setSql] = useState('')
  const take = useMutation({
    mutationFn: (name: string) => queryClient.fetchQuery(previewQuery(name)),
    onSuccess: preview => setSql(appliedPart(preview)),
  })
  const detect = useMutation({ mutationFn: detectSchema })
  const names = files.map(({ name }) => name).filter(isSql)
  return (
    <SidePanel title="Detect schema" onClose={onClose}>
      <p className="text-kumo-subtle">
        Which tables, indexes, functions and types of a migration exist already? Its SQL is analysed, not run.
      </p>
      {names.length > 0 && (
        <Select
          label="Load a file"
          placeholder="Choose a .sql file"
          items={names.map(name => ({ value: name, label: name }))}
          value={take.variables ?? null}
          onValueChange={name => name !== null && take.mutate(name)}
        />
      )}
      <CodeEditor
        label="SQL of a migration"
        language="sql"
        value={sql}
        onChange={setSql}
        onSubmit={text => detect.mutate(text)}
        hint="create table notes (id int primary key);"
        className="min-h-40 max-h-[50vh]"
      />
      <div>
        <Button
          variant="primary"
          disabled={sql.trim() === ''}
          title={sql.trim() === '' ? 'Enter some SQL first' : undefined}
          loading={detect.isPending}
          onClick={() => detect.mutate(sql)}
        >
          Detect objects
        </Button>
      </div>
      <ErrorNotice error={take.error ?? detect.error} />
      {detect.data !== undefined && <SchemaReportView of={detect.data} />}
    </SidePanel>
  )
}
