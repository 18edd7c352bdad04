// Signed links: made for a time, for whoever has them. They are shown while the dialog is open, and kept nowhere.

import { Button, Dialog, Select } from '@cloudflare/kumo'
import { useRef, useState } from 'react'
import { CopyButton } from '../../../parts/copy-button.tsx'
import { CopyText } from '../../../parts/copy-text.tsx'
import { DIALOG_CLASS } from '../../../parts/dialog-class.ts'
import { inWords } from '../../../parts/duration.ts'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { State } from '../../../parts/state.tsx'
import { filesWords } from '../bucket-words.tsx'
import { makeLinks, type SignedLink } from '../queries.ts'

const DAY = 86_400
const SECONDS = [600, 3_600, DAY, 7 * DAY, 30 * DAY, 365 * DAY]

/** Asks for how long, makes them, and shows them. */
export function LinkDialogs({
  bucket,
  names,
  onClose,
}: {
  bucket: string
  names: readonly string[]
  onClose: () => void
}) {
  const [seconds, setSeconds] = useState(3_600)
  const [links, setLinks] = useState<readonly SignedLink[]>()
  // The form closes after a success: then the links take its place.
  const isMade = useRef(false)
  const make = async () => {
    setLinks(await makeLinks(bucket, names, seconds))
    isMade.current = true
  }
  if (links !== undefined) return <Links of={links} seconds={seconds} onClose={onClose} />
  const what = names.length === 1 ? `“${names.join()}”` : filesWords(names.length)
  const [noun, action] = names.length === 1 ? ['link', 'Create link'] : ['links', 'Create links']
  return (
    <FormDialog
      title={`Create ${noun} to ${what}`}
      lead="Whoever has a link reads the file without a key, past all policies, until its time is over."
      action={action}
      onSubmit={make}
      onClose={() => isMade.current || onClose()}
    >
      {errorAt => (
        <Select
          label="Works for"
          className="w-full"
          value={String(seconds)}
          items={Object.fromEntries(SECONDS.map(each => [each, inWords(each)]))}
          onValueChange={chosen => setSeconds(Number(chosen))}
          error={errorAt('expires_in')}
        />
      )}
    </FormDialog>
  )
}

function Links({
  of: links,
  seconds,
  onClose,
}: {
  of: readonly SignedLink[]
  seconds: number
  onClose: () => void
}) {
  const urls = links.flatMap(({ url }) => url ?? [])
  return (
    <Dialog.Root open disablePointerDismissal onOpenChange={open => !open && onClose()}>
      <Dialog className={DIALOG_CLASS} size="lg">
        <div className="flex flex-col gap-4">
          <Dialog.Title className="text-lg font-semibold">
            {links.length === 1 ? 'Link' : `${links.length.toLocaleString('en')} links`} for{' '}
            {inWords(seconds)}
          </Dialog.Title>
          <Dialog.Description className="text-kumo-subtle">
            It stops working earlier only where its file is moved or deleted, or the signing key is removed.
          </Dialog.Description>
          <ul aria-label="Links" className="flex max-h-[50vh] flex-col gap-3 overflow-y-auto">
            {links.map(({ name, url }) => (
              <li key={name}>
                <p className="mb-1 text-kumo-subtle wrap-anywhere">{name}</p>
                {url === null ? (
                  <State tone="bad">Not there any more</State>
                ) : (
                  <CopyText
                    value={url}
                    head={48}
                    tail={12}
                    label={`Copy link to ${name}`}
                    className="w-full justify-between rounded-md bg-kumo-recessed px-3 py-2"
                  />
                )}
              </li>
            ))}
          </ul>
          <div className="flex justify-end gap-2">
            {urls.length > 1 && (
              <CopyButton text={urls.join('\n')} size="base">
                Copy all, one a line
              </CopyButton>
            )}
            <Button variant="primary" onClick={onClose}>
              Close
            </Button>
          </div>
        </div>
      </Dialog>
    </Dialog.Root>
  )
}
