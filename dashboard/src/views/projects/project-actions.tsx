// What can be done with a project, and the dialogs of it.

import { Button, Input } from '@cloudflare/kumo'
import { useState } from 'react'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import type { Project } from '../../parts/projects.ts'
import { toasts } from '../../parts/toasts.ts'
import { activeKeys } from './key-count.ts'
import { changeProject } from './queries.ts'

/** So many are told at once; the others read the status by themselves. */
const KEYS_TOLD_MAX = 500

export function ProjectActions({ of: project }: { of: Project }) {
  const [open, setOpen] = useState<'rename' | 'pause' | 'resume'>()
  const close = () => setOpen(undefined)
  return (
    <>
      <Button onClick={() => setOpen('rename')}>Rename</Button>
      {project.status === 'paused' ? (
        <Button variant="primary" onClick={() => setOpen('resume')}>
          Resume project
        </Button>
      ) : (
        <Button variant="secondary-destructive" onClick={() => setOpen('pause')}>
          Pause project
        </Button>
      )}
      {open === 'rename' && <RenameDialog of={project} onClose={close} />}
      {open === 'pause' && <PauseDialog of={project} onClose={close} />}
      {open === 'resume' && <ResumeDialog of={project} onClose={close} />}
    </>
  )
}

function RenameDialog({ of: { id, name }, onClose }: { of: Project; onClose: () => void }) {
  const [typed, setTyped] = useState(name)
  return (
    <FormDialog
      title={`Rename project “${name}”`}
      action="Rename project"
      mayGo={typed.trim() !== name}
      onSubmit={() => changeProject(id, { name: typed })}
      onClose={onClose}
    >
      {errorAt => (
        <Input
          label="Name"
          value={typed}
          onChange={event => setTyped(event.target.value)}
          error={errorAt('name')}
        />
      )}
    </FormDialog>
  )
}

function PauseDialog({ of: project, onClose }: { of: Project; onClose: () => void }) {
  const { name, active_keys: count } = project
  return (
    <ConfirmDialog
      title={`Pause project “${name}”?`}
      action="Pause project"
      onConfirm={() => setStatus(project, 'paused')}
      onClose={onClose}
    >
      <p>
        {count === 0
          ? 'It has no active keys; those that are made meanwhile are refused too.'
          : `Applications that call with its ${activeKeys(count)} stop working: they get 403 at once.`}
      </p>
      {count > KEYS_TOLD_MAX && (
        <p>{`Beyond the ${KEYS_TOLD_MAX} keys that were used last it holds within a minute.`}</p>
      )}
      <p>
        Keys of other projects go on, and so do webhooks, signing in and this dashboard. Only an administrator
        can resume it, here.
      </p>
    </ConfirmDialog>
  )
}

function ResumeDialog({ of: project, onClose }: { of: Project; onClose: () => void }) {
  return (
    <ConfirmDialog
      title={`Resume project “${project.name}”?`}
      action="Resume project"
      isDangerous={false}
      onConfirm={() => setStatus(project, 'active')}
      onClose={onClose}
    >
      <p>Its {activeKeys(project.active_keys)} may call again. Revoked and expired ones stay refused.</p>
    </ConfirmDialog>
  )
}

async function setStatus({ id }: Project, status: Project['status']): Promise<void> {
  const { name, keys_following: following } = await changeProject(id, { status })
  toasts.add({
    title: status === 'paused' ? `“${name}” is paused` : `“${name}” is resumed`,
    variant: 'success',
    ...(following > 0 && { description: `For ${activeKeys(following)} it holds within a minute.` }),
  })
}
