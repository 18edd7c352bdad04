import { Input } from '@cloudflare/kumo'
import { useState } from 'react'
import { FormDialog } from '../../parts/form-dialog.tsx'
import type { Project } from '../../parts/projects.ts'
import { createProject } from './queries.ts'

export function CreateProjectDialog({
  onCreated,
  onClose,
}: {
  onCreated: (project: Project) => void
  onClose: () => void
}) {
  const [name, setName] = useState('')
  return (
    <FormDialog
      title="Create project"
      lead="A group of API keys with a status of its own. All projects share one database."
      action="Create project"
      onSubmit={async () => onCreated(await createProject({ name }))}
      onClose={onClose}
    >
      {errorAt => (
        <Input
          label="Name"
          description="An application, a customer or an environment. It can be changed later."
          value={name}
          onChange={event => setName(event.target.value)}
          error={errorAt('name')}
        />
      )}
    </FormDialog>
  )
}
