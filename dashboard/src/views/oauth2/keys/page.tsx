// Signing keys: what tokens are signed with, set by set, and their rotation.

import { Button, Empty } from '@cloudflare/kumo'
import { ArrowsClockwiseIcon, PlusIcon, SignatureIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useSession } from '../../../api/session.ts'
import { Loaded } from '../../../parts/loaded.tsx'
import { signingKeysQuery } from '../../../parts/oauth/queries.ts'
import { Page } from '../../../parts/page.tsx'
import { SidePanel } from '../../../parts/side-panel.tsx'
import { toasts } from '../../../parts/toasts.ts'
import { AddKeyDialog } from './add-key-dialog.tsx'
import { KeyList } from './key-list.tsx'
import { KeyPanel } from './key-panel.tsx'
import { SERVER_SETS, serverSet } from './key-sets.ts'
import { PublicKeys } from './public-keys.tsx'
import type { SigningKey } from './queries.ts'
import { RemoveKeyDialog } from './remove-key-dialog.tsx'
import { RotationGuide } from './rotation-guide.tsx'
import type { KeySearch } from './search.ts'
import { SetChoice } from './set-choice.tsx'

const view = getRouteApi('/oauth2/keys')
const NOT_ALLOWED = 'Only administrators may change signing keys'

export function SigningKeysPage() {
  const search = view.useSearch()
  const navigate = view.useNavigate()
  const { is_admin: isAdmin } = useSession()
  const set = search.set ?? SERVER_SETS[0].id
  const change = (changed: Partial<typeof search>) =>
    navigate({ search: { ...search, ...changed }, replace: true })
  return (
    <Page
      title="Signing keys"
      lead="The OAuth2 server signs tokens with them; applications verify with their public parts."
      actions={
        <>
          <Button
            icon={PlusIcon}
            disabled={!isAdmin || set === ''}
            title={isAdmin ? undefined : NOT_ALLOWED}
            onClick={() => change({ add: true })}
          >
            Add key
          </Button>
          {serverSet(set) !== undefined && (
            <Button
              variant="primary"
              icon={ArrowsClockwiseIcon}
              disabled={!isAdmin}
              title={isAdmin ? undefined : NOT_ALLOWED}
              onClick={() => change({ rotate: true })}
            >
              Rotate key
            </Button>
          )}
        </>
      }
    >
      <SetChoice set={set} onChoose={chosen => navigate({ search: { set: chosen }, replace: true })} />
      {set !== '' && <KeySetView key={set} set={set} mayChange={isAdmin} search={search} change={change} />}
      <PublicKeys />
    </Page>
  )
}

interface KeySetViewProps {
  set: string
  mayChange: boolean
  search: KeySearch
  change: (changed: KeySearch) => void
}

/** The keys of one set, and what can be done with them. */
function KeySetView({ set, mayChange, search, change }: KeySetViewProps) {
  const query = useQuery(signingKeysQuery(set))
  const [removing, setRemoving] = useState<SigningKey>()
  const known = serverSet(set)
  return (
    <Loaded query={query}>
      {keys => {
        const removal = (key: SigningKey, label = 'Remove key') => {
          const isLast = known !== undefined && keys.length === 1
          const reason = isLast ? 'The only key of this set signs: add the new one first' : undefined
          return (
            <Button
              variant="secondary-destructive"
              disabled={!mayChange || isLast}
              title={mayChange ? reason : NOT_ALLOWED}
              onClick={() => setRemoving(key)}
            >
              {label}
            </Button>
          )
        }
        const open = keys.find(({ kid }) => kid === search.kid)
        const removed = (of: SigningKey) => {
          const isDone = known !== undefined && keys.length === 2
          if (isDone) toasts.add({ title: 'The rotation is done', variant: 'success' })
          change({
            kid: search.kid === of.kid ? undefined : search.kid,
            rotate: isDone ? undefined : search.rotate,
          })
        }
        return (
          <>
            {keys.length === 0 ? (
              <NoKeys isServerSet={known !== undefined} />
            ) : (
              <KeyList keys={keys} set={set} search={search} onSort={sort => change({ sort })} />
            )}
            {known !== undefined && (search.rotate === true || keys.length > 1) && (
              <RotationGuide
                set={known}
                keys={keys}
                mayChange={mayChange}
                isAsked={search.rotate === true}
                removal={removal}
              />
            )}
            {open !== undefined && (
              <KeyPanel
                of={open}
                among={keys}
                removal={removal(open)}
                onClose={() => change({ kid: undefined })}
              />
            )}
            {search.kid && open === undefined && (
              <SidePanel title={`Key ${search.kid}`} onClose={() => change({ kid: undefined })}>
                <p>The set {set} has no such key: it was removed, or it is in another set.</p>
              </SidePanel>
            )}
            {search.add && mayChange && (
              <AddKeyDialog set={set} newest={keys[0]} onClose={() => change({ add: undefined })} />
            )}
            {removing !== undefined && (
              <RemoveKeyDialog
                of={removing}
                among={keys}
                onRemoved={() => removed(removing)}
                onClose={() => setRemoving(undefined)}
              />
            )}
          </>
        )
      }}
    </Loaded>
  )
}

function NoKeys({ isServerSet }: { isServerSet: boolean }) {
  return (
    <Empty
      icon={<SignatureIcon size={40} />}
      title="No keys in this set yet"
      description={
        isServerSet
          ? 'The server creates the first one when it signs for the first time. Add one to choose its algorithm.'
          : 'A set exists from its first key on. Use your own for what the OAuth2 server does not sign.'
      }
    />
  )
}
