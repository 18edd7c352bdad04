import { Input } from '@cloudflare/kumo'
import { useState } from 'react'
import { CodeEditor } from '../../parts/code-editor.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'

/** A broadcast to everybody in a topic, this page among them. */
export function SendDialog({
  topic,
  onSend,
  onClose,
}: {
  topic: string
  onSend: (event: string, payload: unknown) => Promise<void>
  onClose: () => void
}) {
  const [event, setEvent] = useState('test')
  const [payload, setPayload] = useState('{\n  "from": "the dashboard"\n}')
  return (
    <FormDialog
      title={`Send a broadcast to ${topic}?`}
      lead="Everybody who has joined the topic gets it at once, applications of your users too."
      action="Send broadcast"
      mayGo={event !== ''}
      onSubmit={() => onSend(event, readPayload(payload))}
      onClose={onClose}
    >
      {() => (
        <>
          <Input
            label="Event"
            value={event}
            onChange={change => setEvent(change.target.value)}
            spellCheck={false}
          />
          <div className="flex flex-col gap-1.5">
            <span aria-hidden="true" className="font-medium">
              Payload
            </span>
            <CodeEditor label="Payload" language="json" value={payload} onChange={setPayload} />
          </div>
        </>
      )}
    </FormDialog>
  )
}

function readPayload(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (err) {
    throw new Error(`The payload is no JSON: ${err instanceof Error ? err.message : String(err)}`)
  }
}
