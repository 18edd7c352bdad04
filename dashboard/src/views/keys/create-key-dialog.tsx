import { Radio, Select } from '@cloudflare/kumo'
import { useState } from 'react'
import type { Schema } from '../../api/client.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import type { Project } from '../../parts/projects.ts'
import { bodyOf, EMPTY_DRAFT, KeyFields } from './key-fields.tsx'
import { createKey } from './queries.ts'

/** `projects`: newest first; the key gets the one in `projectId`, else the oldest. With several there is a choice. */
export function CreateKeyDialog({
  projects,
  projectId,
  onCreated,
  onClose,
}: {
  projects: readonly Project[]
  projectId: string | undefined
  onCreated: (key: Schema<'ApiKeyWithSecret'>) => void
  onClose: () => void
}) {
  const [draft, setDraft] = useState(EMPTY_DRAFT)
  const [role, setRole] = useState<'anon' | 'service_role'>('anon')
  const [chosen, setChosen] = useState<string>()
  // Read anew with each drawing: the list may come after the dialog.
  const project = chosen ?? (projectId || projects.at(-1)?.id)
  return (
    <FormDialog
      title="Create API key"
      action="Create key"
      onSubmit={async () =>
        onCreated(
          await createKey({ ...bodyOf(draft), ...(project !== undefined && { project_id: project }), role }),
        )
      }
      onClose={onClose}
    >
      {errorAt => (
        <>
          {projects.length > 1 && (
            <Select
              label="Project"
              className="w-full"
              value={project ?? ''}
              error={errorAt('project_id')}
              onValueChange={id => setChosen(id ?? undefined)}
              items={projects.map(({ id, name, status }) => ({
                value: id,
                label: status === 'paused' ? `${name} (paused)` : name,
              }))}
            />
          )}
          <Radio.Group
            legend="Role"
            value={role}
            onValueChange={value => setRole(value as typeof role)}
            error={errorAt('role')}
          >
            <Radio.Item value="anon" label="anon: policies decide what it sees; safe in a browser" />
            <Radio.Item value="service_role" label="service_role: sees every row; for servers alone" />
          </Radio.Group>
          <KeyFields
            draft={draft}
            onChange={changed => setDraft({ ...draft, ...changed })}
            errorAt={errorAt}
          />
        </>
      )}
    </FormDialog>
  )
}
