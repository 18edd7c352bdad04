import { Button, Input, Tabs } from '@cloudflare/kumo'
import { useState } from 'react'
import { SERVER_SETS, serverSet } from './key-sets.ts'

const TABS = [
  ...SERVER_SETS.map(({ id, label }) => ({ value: id, label })),
  { value: '', label: 'Another set' },
]

/** Chooses a key set: one of the server's, or one by its name. Empty: not named yet. */
export function SetChoice({ set, onChoose }: { set: string; onChoose: (set: string) => void }) {
  const isOther = serverSet(set) === undefined
  return (
    <div className="flex flex-col gap-4">
      <Tabs
        aria-label="Key set"
        variant="underline"
        tabs={TABS}
        value={isOther ? '' : set}
        onValueChange={onChoose}
        className="max-w-full overflow-x-auto"
      />
      {isOther && <SetName key={set} set={set} onChoose={onChoose} />}
    </div>
  )
}

function SetName({ set, onChoose }: { set: string; onChoose: (set: string) => void }) {
  const [name, setName] = useState(set)
  const show = (event: React.FormEvent) => {
    event.preventDefault()
    onChoose(name.trim())
  }
  return (
    <form onSubmit={show} className="flex max-w-xl flex-wrap items-end gap-2">
      <div className="min-w-56 flex-1">
        <Input
          label="Name of the set"
          placeholder="my-service.webhooks"
          value={name}
          onChange={event => setName(event.target.value)}
          autoComplete="off"
          spellCheck={false}
          className="w-full code-text!"
        />
      </div>
      <Button type="submit" disabled={name.trim() === ''}>
        Show keys
      </Button>
    </form>
  )
}
