import { ApiError } from '../../../../api/errors.ts'
import { ErrorNotice } from '../../../../parts/error-notice.tsx'
import { readClientsAgain } from '../../../../parts/oauth/queries.ts'
import { toasts } from '../../../../parts/toasts.ts'
import { useSubmit } from '../../../../parts/use-submit.ts'
import { type Client, nameOf } from '../client.ts'
import { ClientFields } from '../editor/client-fields.tsx'
import { type ClientDraft, changedFields, changeOf, draftOf, tidy } from '../editor/draft.ts'
import { wrongFields } from '../editor/problems.ts'
import { changeClient } from '../queries.ts'
import { SaveBar } from '../save-bar.tsx'

/** The fields of the client, and what of them is not saved yet. */
export function Settings({
  of: client,
  draft,
  onChange,
  onReplace,
}: {
  of: Client
  draft: ClientDraft
  onChange: (changed: Partial<ClientDraft>) => void
  /** What is left to save, in place of all that was edited. */
  onReplace: (edited: Partial<ClientDraft>) => void
}) {
  const stored = draftOf(client)
  const changed = changedFields(stored, draft)
  const wrong = wrongFields(stored, draft)
  const { error, errorAt, isBusy, submit } = useSubmit(async () => {
    // Fields that are as they were must not count as changed once somebody else's change is read.
    const tidied = tidy(draft)
    onReplace(Object.fromEntries(changed.map(name => [name, tidied[name]])))
    try {
      await changeClient(client.client_id, { ...changeOf(stored, draft), updated_at: client.updated_at })
    } catch (err) {
      // The next try is made on what somebody else has left.
      if (isConflict(err)) await readClientsAgain()
      throw err
    }
    onReplace({})
    toasts.add({ title: `“${nameOf({ ...client, ...tidied })}” is saved`, variant: 'success' })
  })
  return (
    <form onSubmit={submit} noValidate>
      <ClientFields draft={draft} onChange={onChange} errorAt={errorAt} />
      <SaveBar
        note={noteOf(changed, wrong)}
        action="Save changes"
        mayGo={changed.length > 0 && wrong.length === 0}
        isBusy={isBusy}
        onDiscard={{ label: 'Discard', go: () => onReplace({}), isOff: changed.length === 0 }}
      >
        <ErrorNotice
          error={error}
          title={
            isConflict(error)
              ? 'Somebody else has changed it: look at the fields once more, then save again'
              : undefined
          }
        />
      </SaveBar>
    </form>
  )
}

function isConflict(err: unknown): boolean {
  return err instanceof ApiError && err.code === 'conflict'
}

function noteOf(changed: readonly string[], wrong: readonly string[]): string {
  if (wrong.length > 0) return `Not valid: ${wrong.join(', ')}`
  return changed.length === 0 ? 'All changes saved.' : `Unsaved: ${changed.join(', ')}`
}
