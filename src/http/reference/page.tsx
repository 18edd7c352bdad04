// The reference page at /docs: every endpoint of the route table, readable without JavaScript.
// Shows what the OpenAPI document says; adds nothing of its own.

import { ERROR_CODES } from '../../errors.ts'
import { VERSION } from '../../lib/version.ts'
import { curlExample } from './curl-example.ts'
import type { Endpoint, ReferenceDocument } from './document.ts'
import { parameterRow, type Row, schemaRows } from './fields.ts'
import { STYLE } from './style.ts'

/** The page as HTML text. Its one style sheet is `STYLE`, which the Content-Security-Policy names by its hash. */
export function renderReferencePage(document: object): string {
  // The document was made by `openApiDocument`, whose shape `ReferenceDocument` names in part.
  return `<!doctype html>${<ReferencePage document={document as ReferenceDocument} />}`
}

function ReferencePage({ document }: { document: ReferenceDocument }) {
  const groups = groupByTag(document)
  const baseUrl = document.servers[0]?.url ?? ''
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Quoin API reference</title>
        <style dangerouslySetInnerHTML={{ __html: STYLE }} />
      </head>
      <body>
        <nav aria-label="Endpoints">
          <p class="brand">
            Quoin <small>{VERSION}</small>
          </p>
          {[...groups].map(([tag, endpoints]) => (
            <section>
              <h2>
                <a href={`#${tag}`}>{titleOf(tag)}</a>
              </h2>
              {endpoints.map(endpoint => (
                <a class="link" href={`#${endpoint.operationId}`}>
                  <b class={endpoint.method}>{endpoint.method}</b>
                  <span>{endpoint.path}</span>
                </a>
              ))}
            </section>
          ))}
          <section>
            <h2>
              <a href="#errors">errors</a>
            </h2>
          </section>
        </nav>
        <main>
          <Introduction baseUrl={baseUrl} />
          {[...groups].map(([tag, endpoints]) => (
            <section id={tag}>
              <h2>{titleOf(tag)}</h2>
              {endpoints.map(endpoint => (
                <EndpointCard endpoint={endpoint} baseUrl={baseUrl} />
              ))}
            </section>
          ))}
          <Errors />
        </main>
      </body>
    </html>
  )
}

function Introduction({ baseUrl }: { baseUrl: string }) {
  return (
    <header>
      <h1>API reference</h1>
      <p>
        Base address <code>{baseUrl}</code>. Paths under <code>/v1</code> take an API key in the header{' '}
        <code>apikey</code>: <code>svc_pk_…</code> (anon) is held to row-level security, <code>svc_sk_…</code>{' '}
        (service_role) is not. The same as a document: <a href="/openapi.json">openapi.json</a>.
      </p>
      <p>
        Paths under <code>/api</code> are for people: they take the cookie of a dashboard session,{' '}
        <code>ory_kratos_session=…</code>, which is there after signing in at the identity provider. In the
        examples <code>$QUOIN_KEY</code> is a key and <code>$QUOIN_SESSION</code> such a cookie; those of the
        local stack are in <code>.quoin/dev.json</code>. Fields with <em class="required">*</em> are required.
      </p>
      <p>
        An access token of a signed-in user may come beside the key as <code>Authorization: Bearer …</code>,
        and its claims reach policies as <code>quoin.claims()</code> and <code>quoin.uid()</code>.
      </p>
    </header>
  )
}

function EndpointCard({ endpoint, baseUrl }: { endpoint: Endpoint; baseUrl: string }) {
  const bodySchema = endpoint.requestBody?.content['application/json']?.schema
  const bodyTypes = Object.keys(endpoint.requestBody?.content ?? {})
  const [status = '200', answer] = Object.entries(endpoint.responses)[0] ?? []
  const answerSchema = answer?.content?.['application/json']?.schema
  const [description, ...credential] = (endpoint.description ?? '').split('\n\n').reverse()
  return (
    <article id={endpoint.operationId}>
      <h3>
        <b class={endpoint.method}>{endpoint.method}</b> <code>{endpoint.path}</code>
        {endpoint.security.length > 0 && <span class="auth">{description}</span>}
      </h3>
      <p>{endpoint.summary}.</p>
      {credential.reverse().map(paragraph => (
        <p class="more">
          <Prose text={paragraph} />
        </p>
      ))}
      {endpoint.parameters.length > 0 && (
        <Fields title="Parameters" rows={endpoint.parameters.map(parameterRow)} />
      )}
      {bodySchema && <Fields title="Body" rows={schemaRows(bodySchema)} />}
      {!bodySchema && bodyTypes.length > 0 && <p class="more">Body: {bodyTypes.join(', ')}</p>}
      {answerSchema && <Fields title={`Answer ${status}`} rows={schemaRows(answerSchema)} />}
      <pre>{curlExample(endpoint, baseUrl)}</pre>
    </article>
  )
}

/** Text in which `backticks` mark code, as descriptions in the routes do. */
function Prose({ text }: { text: string }) {
  return <>{text.split('`').map((part, i) => (i % 2 === 1 ? <code>{part}</code> : part))}</>
}

function Fields({ title, rows }: { title: string; rows: Row[] }) {
  return (
    <details open={title !== 'Parameters' || rows.length <= 8}>
      <summary>{title}</summary>
      <table>
        {rows.map(row => (
          <tr>
            <th scope="row">
              <code>{row.name}</code>
              {row.isRequired && <em class="required">*</em>}
            </th>
            <td class="type">{row.type}</td>
            <td>
              <Prose text={row.description} />
            </td>
          </tr>
        ))}
      </table>
    </details>
  )
}

function Errors() {
  return (
    <section id="errors">
      <h2>Errors</h2>
      <p>
        Every error is <code>{'{error, code, detail, hint, request_id}'}</code>. <code>code</code> is the
        SQLSTATE of a database error, or one of these.
      </p>
      <table>
        {Object.entries(ERROR_CODES).map(([code, sentence]) => (
          <tr>
            <th scope="row">
              <code>{code}</code>
            </th>
            <td>{sentence}</td>
          </tr>
        ))}
      </table>
    </section>
  )
}

/** `oauth_clients` as a heading. */
function titleOf(tag: string): string {
  return tag.replaceAll('_', ' ')
}

function groupByTag(document: ReferenceDocument): Map<string, Endpoint[]> {
  const groups = new Map<string, Endpoint[]>()
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const tag = operation.tags[0] ?? 'other'
      groups.set(tag, [...(groups.get(tag) ?? []), { ...operation, method, path }])
    }
  }
  return groups
}
