// A new client: what kind it is, then its fields.

import { Link } from '@cloudflare/kumo'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schema } from '../../../api/client.ts'
import { ErrorNotice } from '../../../parts/error-notice.tsx'
import { useLeaveGuard } from '../../../parts/leave-guard.tsx'
import { Page } from '../../../parts/page.tsx'
import { SecretOnce } from '../../../parts/secret-once.tsx'
import { toasts } from '../../../parts/toasts.ts'
import { useSubmit } from '../../../parts/use-submit.ts'
import { isPublic, nameOf } from './client.ts'
import { ClientFields } from './editor/client-fields.tsx'
import { bodyOf, changedFields, EMPTY_DRAFT, tidy } from './editor/draft.ts'
import { wrongFields } from './editor/problems.ts'
import { createClient } from './queries.ts'
import { SaveBar } from './save-bar.tsx'
import { TemplateChoice } from './template-choice.tsx'
import { draftFrom, TEMPLATE_WORDS, type Template } from './templates.ts'

const BACK = <Link href="/oauth2/clients">Clients</Link>

export function CreatePage({ template }: { template: Template | undefined }) {
  if (template === undefined)
    return (
      <Page title="Create client" lead="What is it for? Everything can be changed later." crumb={BACK}>
        <TemplateChoice />
      </Page>
    )
  // Another template is another form.
  return <CreateForm key={template} template={template} />
}

function CreateForm({ template }: { template: Template }) {
  const navigate = useNavigate()
  const [draft, setDraft] = useState(() => draftFrom(template))
  const [created, setCreated] = useState<Schema<'CreatedOAuthClient'>>()
  const isDirty = changedFields(draftFrom(template), draft).length > 0
  const { leave, question } = useLeaveGuard(
    'Leave without creating the client?',
    () => isDirty && created === undefined,
    () => navigate({ to: '/oauth2/clients' }),
  )
  const isWrong = wrongFields({ ...EMPTY_DRAFT, grant_types: [] }, draft).length > 0

  const open = (id: string) => navigate({ to: '/oauth2/clients/$id', params: { id }, ignoreBlocker: true })
  const { error, errorAt, isBusy, submit } = useSubmit(async () => {
    setDraft(tidy(draft))
    const client = await createClient(bodyOf(draft))
    if (client.client_secret !== undefined) return setCreated(client)
    toasts.add({ title: `Client “${nameOf(client)}” is created`, variant: 'success' })
    await open(client.client_id)
  })

  return (
    <Page
      title="Create client"
      lead={TEMPLATE_WORDS[template].label}
      crumb={
        <>
          {BACK} / <Link href="/oauth2/clients?create=true">Create client</Link>
        </>
      }
    >
      <form onSubmit={submit} noValidate>
        <ClientFields
          draft={draft}
          onChange={changed => setDraft({ ...draft, ...changed })}
          errorAt={errorAt}
        />
        <SaveBar
          note={
            isWrong
              ? 'Some values above are not valid.'
              : isPublic(draft)
                ? 'It gets an id and no secret.'
                : 'It gets an id and a secret, which is shown once.'
          }
          action="Create client"
          mayGo={!isWrong}
          isBusy={isBusy}
          onDiscard={{ label: 'Cancel', go: leave }}
        >
          <ErrorNotice error={error} />
        </SaveBar>
      </form>
      {question}
      {created?.client_secret !== undefined && (
        <SecretOnce
          title={`Client “${nameOf(created)}” is created`}
          secrets={{ 'Client secret': created.client_secret }}
          onClose={() => open(created.client_id)}
        />
      )}
    </Page>
  )
}
