// The claims of both tokens as they are being changed. Nothing is stored before it is saved.

import { Button } from '@cloudflare/kumo'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { ApiError } from '../../../api/errors.ts'
import { useSession } from '../../../api/session.ts'
import { ErrorNotice } from '../../../parts/error-notice.tsx'
import { identityQuery } from '../../../parts/identities.ts'
import { useLeaveGuard } from '../../../parts/leave-guard.tsx'
import { toasts } from '../../../parts/toasts.ts'
import { useSubmit } from '../../../parts/use-submit.ts'
import { ClaimMap } from './claim-map.tsx'
import { configOf, ownProblems, type Rows, rowsOf, serverProblems } from './claim-rows.ts'
import { Preview } from './preview.tsx'
import { type ClaimsConfig, isSameConfig, previewQuery, saveClaims } from './queries.ts'
import { pathsOf } from './template-paths.ts'

const view = getRouteApi('/oauth2/claims')
const TYPING_MS = 400
const DEFAULT_SCOPES = 'openid profile email'

export function ClaimsEditor({ stored }: { stored: ClaimsConfig }) {
  const search = view.useSearch()
  const navigate = view.useNavigate()
  const { identity: self, is_admin: isAdmin } = useSession()
  const identity = search.identity || self.id
  const scopes = search.scopes ?? DEFAULT_SCOPES

  // What was changed is told from what stood there when the change began: meanwhile somebody else may save.
  const [draft, setDraft] = useState<{ base: ClaimsConfig; rows: Rows }>()
  const base = draft?.base ?? stored
  const rows = useMemo(() => draft?.rows ?? rowsOf(stored), [draft, stored])
  const change = (changed: Partial<Rows>) => setDraft({ base, rows: { ...rows, ...changed } })
  const config = useMemo(() => configOf(rows), [rows])
  const own = ownProblems(rows)
  const isChanged = !isSameConfig(config, base) || own.size > 0

  const { question } = useLeaveGuard('Leave without saving the claims?', () => isChanged)

  const settled = useSettled(useMemo(() => ({ config, scopes }), [config, scopes]))
  const preview = useQuery(previewQuery(identity, wordsOf(settled.scopes), settled.config))
  const { data: person } = useQuery({ ...identityQuery(identity), enabled: isAdmin })

  // What was refused is said as long as it stands there.
  const [sent, setSent] = useState<ClaimsConfig>()
  const { error, isBusy, submit } = useSubmit(async () => {
    setSent(config)
    await saveClaims(base, config)
    setDraft(undefined)
    toasts.add({ title: 'The claims are saved', variant: 'success' })
  })
  const refusal = sent !== undefined && isSameConfig(sent, config) ? error : null
  const complaints = [preview.error, refusal].flatMap(error =>
    error instanceof ApiError ? [...serverProblems(rows, error.message, error.detail)] : [],
  )
  const problems = new Map([...complaints, ...own])
  const known = {
    problems,
    unresolved: preview.data?.unresolved ?? [],
    tooLarge: preview.data?.too_large ?? [],
    paths: pathsOf(person),
  }
  const isSaid = complaints.length > 0
  return (
    <>
      <form onSubmit={submit} className="flex flex-col gap-4" noValidate>
        <div className="grid gap-6 2xl:grid-cols-2">
          <ClaimMap
            token="ID token"
            lead="Tells the application who signed in. Userinfo says the same."
            rows={rows.id_token_claims}
            {...known}
            onChange={changed => change({ id_token_claims: changed })}
          />
          <ClaimMap
            token="Access token"
            lead="Tells the APIs that take the token, under ext."
            rows={rows.access_token_claims}
            {...known}
            onChange={changed => change({ access_token_claims: changed })}
          />
        </div>
        <ErrorNotice error={isSaid ? null : refusal} />
        <div className="flex flex-wrap items-center gap-2">
          <Button
            type="submit"
            variant="primary"
            loading={isBusy}
            disabled={!isChanged || own.size > 0}
            title={isChanged ? undefined : 'Nothing has changed'}
          >
            Save claims
          </Button>
          {isChanged && <Button onClick={() => setDraft(undefined)}>Discard changes</Button>}
          <span role="status" className="text-kumo-subtle">
            {isChanged && 'Not saved yet.'}
          </span>
        </div>
      </form>
      <Preview
        query={preview}
        error={isSaid ? null : preview.error}
        identity={identity}
        scopes={scopes}
        onIdentity={id => navigate({ search: { ...search, identity: id }, replace: true })}
        onScopes={text => navigate({ search: { ...search, scopes: text }, replace: true })}
      />
      {question}
    </>
  )
}

/** The value, once it has not changed for a moment: nobody wants an answer for each letter. */
function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter(Boolean)
}
