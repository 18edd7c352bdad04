// The logout screen: sign out, and by default of the identity provider's session too.

import { BRIDGE_PATH } from '../bridge-deps.ts'
import { FormSecrets, type FormSecretsProps } from './form-secrets.tsx'
import type { PageFrame } from './frame.ts'
import { documentText, Page } from './page.tsx'

export interface LogoutView extends FormSecretsProps {
  /** The application that asks; undefined when the browser alone does. */
  clientName: string | undefined
}

export function renderLogoutPage(view: LogoutView, frame: PageFrame): string {
  const { clientName } = view
  const text =
    clientName === undefined
      ? 'Applications that you use in this browser are told, and you are signed out of them.'
      : `${clientName} asks to sign you out. Other applications in this browser are told too.`
  return documentText(
    <Page frame={frame} title="Sign out?">
      <h1>Sign out?</h1>
      <p class="dim">{text}</p>
      <form method="post" action={`${BRIDGE_PATH}/logout/accept`}>
        <FormSecrets {...view} />
        <label class="choice single">
          <input type="checkbox" name="end_identity_session" value="true" checked />
          <span>
            {`Also end my ${frame.brand.brandName} session`}
            <small>Otherwise the next sign-in in this browser asks for no password.</small>
          </span>
        </label>
        <div class="actions">
          <button type="submit" class="primary">
            Sign out
          </button>
          <button type="submit" formaction={`${BRIDGE_PATH}/logout/reject`}>
            Stay signed in
          </button>
        </div>
      </form>
    </Page>,
  )
}
