// The device screen: the code is typed in or compared, and sent by hand.

import { BRIDGE_PATH } from '../bridge-deps.ts'
import { FormSecrets, type FormSecretsProps } from './form-secrets.tsx'
import type { PageFrame } from './frame.ts'
import { documentText, Page } from './page.tsx'

export interface DeviceView extends FormSecretsProps {
  /** As it stands in the field. */
  code: string
  isWrong: boolean
}

export function renderDevicePage(view: DeviceView, frame: PageFrame): string {
  const { code, isWrong } = view
  const title = code === '' || isWrong ? 'Connect a device' : 'Is this the code on your device?'
  return documentText(
    <Page frame={frame} title={title}>
      <h1>{title}</h1>
      <p class="dim">
        Go on only with a code that is on a device in front of you. The next page says which application asks,
        and for what.
      </p>
      {isWrong && (
        <div class="notice bad" role="alert" id="wrong">
          <p>No device waits with this code. Compare it, capitals too, or let the device show a new one.</p>
        </div>
      )}
      <form method="post" action={`${BRIDGE_PATH}/device`}>
        <FormSecrets {...view} />
        <label class="field" for="user_code">
          Code on the device
        </label>
        <input
          type="text"
          id="user_code"
          name="user_code"
          value={code}
          required
          autofocus
          maxlength={40}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          aria-invalid={isWrong ? 'true' : undefined}
          aria-describedby={isWrong ? 'wrong' : undefined}
        />
        <div class="actions">
          <button type="submit" class="primary">
            Continue
          </button>
        </div>
      </form>
    </Page>,
  )
}
