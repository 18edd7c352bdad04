// The two fields that every form of the bridge carries.

export interface FormSecretsProps {
  challenge: string
  formToken: string
}

export function FormSecrets({ challenge, formToken }: FormSecretsProps) {
  return (
    <>
      <input type="hidden" name="challenge" value={challenge} />
      <input type="hidden" name="form_token" value={formToken} />
    </>
  )
}
