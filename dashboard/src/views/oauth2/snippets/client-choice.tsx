import { Combobox } from '@cloudflare/kumo'
import type { Schema } from '../../../api/client.ts'

interface Item {
  value: string
  label: string
}

/** One of the clients, found by its name or id. */
export function ClientChoice({
  clients,
  chosen,
  onChoose,
}: {
  clients: readonly Schema<'OAuthClient'>[]
  chosen: string | undefined
  onChoose: (id: string) => void
}) {
  const items = clients.map(({ client_id: id, client_name: name }) => ({
    value: id,
    label: name.trim() || id,
  }))
  const isFound = ({ value, label }: Item, text: string) =>
    `${label} ${value}`.toLowerCase().includes(text.trim().toLowerCase())
  return (
    <Combobox
      label="Client"
      items={items}
      value={items.find(({ value }) => value === chosen) ?? null}
      onValueChange={(item: Item | null) => item !== null && onChoose(item.value)}
      filter={isFound}
      limit={100}
    >
      <Combobox.TriggerValue className="w-80 max-w-full">
        {(item: Item | null) => (
          <span className={item === null ? 'text-kumo-subtle' : 'min-w-0 truncate'}>
            {item?.label ?? 'Choose a client'}
          </span>
        )}
      </Combobox.TriggerValue>
      <Combobox.Content>
        <Combobox.Input placeholder="Name or id" />
        <Combobox.Empty>No client matches</Combobox.Empty>
        <Combobox.List>
          {(item: Item) => (
            <Combobox.Item key={item.value} value={item}>
              {item.label}
            </Combobox.Item>
          )}
        </Combobox.List>
      </Combobox.Content>
    </Combobox>
  )
}
