// Chooses somebody: administrators by e-mail address or name, everybody by the id.

import { Autocomplete, Button } from '@cloudflare/kumo'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSession } from '../api/session.ts'
import { ErrorNotice } from './error-notice.tsx'
import { type Identity, identitiesQuery, identityIdOf } from './identities.ts'
import { emailOf, nameOf } from './person.ts'
import { useSubmit } from './use-submit.ts'

/** `chosen` is the id in the address; `action` the button's verb. */
export function IdentityField({
  label,
  action,
  chosen,
  onChoose,
}: {
  label: string
  action: string
  chosen: string | undefined
  onChoose: (id: string) => void
}) {
  const { is_admin: isAdmin } = useSession()
  const { data: people = [] } = useQuery({ ...identitiesQuery, enabled: isAdmin })
  const [text, setText] = useState(chosen ?? '')
  const [isOpen, setOpen] = useState(false)
  const matching = people.filter(person => matches(person, text))
  const { error, isBusy, submit } = useSubmit(async () => onChoose(await identityIdOf(text.trim())))
  return (
    <form onSubmit={submit} className="flex max-w-2xl flex-col gap-3">
      <div className="flex flex-col items-start gap-2 sm:flex-row">
        <div className="w-full min-w-0 sm:flex-1">
          <Autocomplete
            label={label}
            description={
              isAdmin
                ? 'Their e-mail address, name or id.'
                : 'Their id. Searching by e-mail address is for administrators.'
            }
            items={matching}
            // Open with nothing in it, it would hide the page from those who do not see it.
            open={isOpen && matching.length > 0}
            onOpenChange={setOpen}
            value={text}
            onValueChange={(value, { reason }) => {
              const person = people.find(each => stringOf(each) === value)
              setText(value)
              if (reason === 'item-press' && person !== undefined) onChoose(person.id)
            }}
            itemToStringValue={stringOf}
            filter={() => true}
          >
            <Autocomplete.InputGroup
              placeholder={isAdmin ? 'ada@example.com' : '9f1c2d3e-…'}
              className="w-full"
            />
            <Autocomplete.Content>
              <Autocomplete.List>
                {(person: Identity) => (
                  <Autocomplete.Item key={person.id} value={person}>
                    {emailOf(person) ?? person.id}
                    <span className="ml-2 text-kumo-subtle">{nameOf(person)}</span>
                  </Autocomplete.Item>
                )}
              </Autocomplete.List>
            </Autocomplete.Content>
          </Autocomplete>
        </div>
        <Button type="submit" className="sm:mt-7" loading={isBusy} disabled={text.trim() === ''}>
          {action}
        </Button>
      </div>
      <ErrorNotice error={error} />
    </form>
  )
}

function stringOf(person: Identity): string {
  return emailOf(person) ?? person.id
}

function matches(person: Identity, query: string): boolean {
  const text = `${emailOf(person) ?? ''} ${nameOf(person) ?? ''} ${person.id}`.toLowerCase()
  return text.includes(query.trim().toLowerCase())
}
