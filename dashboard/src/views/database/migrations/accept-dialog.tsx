import { CodeEditor } from '../../../parts/code-editor.tsx'
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx'
import { CopyText } from '../../../parts/copy-text.tsx'
import { Fact, Facts, None } from '../../../parts/facts.tsx'
import { toasts } from '../../../parts/toasts.ts'
import { acceptMigration, type Migration } from './queries.ts'
import { isSql } from './sql-file.ts'

/** Takes the file of an applied migration as it is now. What it was then nobody has kept but as a hash. */
export function AcceptDialog({
  of: { name, stored_hash: stored, file_hash: now },
  content,
  onClose,
}: {
  of: Migration
  content: string | undefined
  onClose: () => void
}) {
  return (
    <ConfirmDialog
      title={`Accept ${name} as it is now?`}
      action="Accept the file"
      isDangerous={false}
      onConfirm={async () => {
        await acceptMigration(name)
        toasts.add({ title: `${name} is accepted`, variant: 'success' })
      }}
      onClose={onClose}
    >
      <p>The file is not run: accepting it does not change the database.</p>
      <p>
        Its content when it was applied is unknown: only the hash was kept. See its history in version
        control.
      </p>
      <Facts>
        <Fact label="SHA-256 when applied">
          {stored === null ? <None>not kept</None> : <CopyText value={stored} />}
        </Fact>
        <Fact label="SHA-256 now">
          <CopyText value={now} />
        </Fact>
      </Facts>
      {content !== undefined && (
        <CodeEditor
          label={`Text of ${name} now`}
          value={content}
          language={isSql(name) ? 'sql' : 'text'}
          isReadOnly
          className="max-h-60"
        />
      )}
    </ConfirmDialog>
  )
}
