// The consent screen: who asks, for what, in whose name, and where the answer goes. Approve, Deny, and a way out for
// somebody else. What comes from the client's record was written by strangers: it is text, and its addresses were
// checked.

import { BRIDGE_PATH } from '../bridge-deps.ts'
import { spacedCode } from '../device-code.ts'
import type { ScopeSentence } from '../scope-sentences.ts'
import { FormSecrets, type FormSecretsProps } from './form-secrets.tsx'
import type { PageFrame } from './frame.ts'
import { documentText, Page } from './page.tsx'

export interface ConsentView extends FormSecretsProps {
  client: {
    name: string
    /** Web addresses that were checked, as the next three. */
    url: string | undefined
    logoUrl: string | undefined
    termsUrl: string | undefined
    privacyUrl: string | undefined
  }
  /** The account that is signed in. */
  account: string
  scopes: readonly ScopeSentence[]
  audience: readonly string[]
  /** Where the application gets the answer. */
  destination: string | undefined
  /** How long a remembered choice holds; 0: until it is revoked. */
  rememberSeconds: number
  /** In a device flow; its code where this browser typed it in. */
  device: { code: string | undefined } | undefined
}

const FORM_ID = 'consent'

export function renderConsentPage(view: ConsentView, frame: PageFrame): string {
  const { client, account, device } = view
  const title = `${client.name} wants to use your account`
  return documentText(
    <Page frame={frame} title={title}>
      <ClientLogo client={client} />
      <h1>{title}</h1>
      {client.url !== undefined && (
        <p class="dim small">
          <a href={client.url} rel="noreferrer">
            {new URL(client.url).host}
          </a>
        </p>
      )}
      <Account account={account} view={view} />
      {device && <DeviceNotice code={device.code} />}
      <form id={FORM_ID} method="post" action={`${BRIDGE_PATH}/consent/accept`}>
        <FormSecrets {...view} />
        <Scopes scopes={view.scopes} />
        <Audience audience={view.audience} />
        <label class="choice single">
          <input type="checkbox" name="remember" value="true" />
          <span>
            Remember my choice
            <small>{`You are not asked again ${rememberedFor(view.rememberSeconds)}.`}</small>
          </span>
        </label>
        <div class="actions">
          <button type="submit" class="primary">
            Approve
          </button>
          <button type="submit" formaction={`${BRIDGE_PATH}/consent/reject`}>
            Deny
          </button>
        </div>
      </form>
      <Terms view={view} />
    </Page>,
  )
}

function ClientLogo({ client: { name, logoUrl } }: Pick<ConsentView, 'client'>) {
  return (
    <div class="logo" aria-hidden="true">
      {logoUrl === undefined ? initialOf(name) : <img src={logoUrl} alt="" referrerpolicy="no-referrer" />}
    </div>
  )
}

/** A form of its own: the other's scopes do not matter to it. */
function Account({ account, view }: { account: string; view: FormSecretsProps }) {
  return (
    <form class="account" method="post" action={`${BRIDGE_PATH}/consent/switch`}>
      <FormSecrets {...view} />
      <span class="avatar" aria-hidden="true">
        {initialOf(account)}
      </span>
      <span class="who">
        <small>Signed in as</small>
        {account}
      </span>
      <button type="submit" class="link">
        Not you?
      </button>
    </form>
  )
}

function DeviceNotice({ code }: { code: string | undefined }) {
  return (
    <div class="notice">
      {code === undefined ? (
        <p>A device asks for this. Approve only if you started it yourself, on a device in front of you.</p>
      ) : (
        <>
          <p>A device asks for this. Approve only if it shows this code:</p>
          <strong class="code">{spacedCode(code)}</strong>
          <p class="small">Did somebody send you the code? Then deny.</p>
        </>
      )}
    </div>
  )
}

function Scopes({ scopes }: Pick<ConsentView, 'scopes'>) {
  if (scopes.length === 0) return <p class="dim">It asks for no permissions beyond signing you in.</p>
  return (
    <fieldset>
      <legend>It would be allowed to</legend>
      {scopes.map(({ scope, title, detail }) => (
        <label class="choice">
          <input type="checkbox" name="grant_scope" value={scope} checked />
          <span>
            {title}
            <small>{detail}</small>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

function Audience({ audience }: Pick<ConsentView, 'audience'>) {
  if (audience.length === 0) return null
  return <p class="dim small">{`For use at: ${audience.join(', ')}`}</p>
}

function Terms({ view: { client, destination } }: { view: ConsentView }) {
  const { name, termsUrl, privacyUrl } = client
  const links = [
    { url: termsUrl, text: 'Terms of service' },
    { url: privacyUrl, text: 'Privacy policy' },
  ].filter(link => link.url !== undefined)
  if (links.length === 0 && destination === undefined) return null
  return (
    <div class="terms">
      {destination !== undefined && <p>{`Your answer goes to ${destination}.`}</p>}
      {links.length > 0 && (
        <p>
          {`${name}: `}
          {links.map(({ url, text }, i) => (
            <>
              {i > 0 && ' · '}
              <a href={url} target="_blank" rel="noopener noreferrer">
                {text}
              </a>
            </>
          ))}
        </p>
      )}
    </div>
  )
}

/** In the largest unit of which there are at least two. */
function rememberedFor(seconds: number): string {
  if (seconds === 0) return 'until you take it back'
  const [unit, size] = UNITS.find(([, size]) => seconds >= 2 * size) ?? ['second', 1]
  return `for ${Math.floor(seconds / size)} ${unit}s`
}

const UNITS: [name: string, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

function initialOf(name: string): string {
  return (Array.from(name.trim())[0] ?? '?').toUpperCase()
}
