// What the parameters of the requests and of the callback are good for, each in a few words.

export const PARAMETER_WORDS: Readonly<Record<string, string>> = {
  response_type: 'What the browser brings back',
  client_id: 'Which application asks',
  client_secret: 'Proves which application asks',
  redirect_uri: 'Where the browser goes then',
  scope: 'What the tokens are for',
  audience: 'Whose API they are for',
  prompt: 'Whether to ask the person',
  state: 'Ties the answer to this run',
  nonce: 'Ties the ID token to it',
  code_challenge: 'Hash of the verifier',
  code_challenge_method: 'Which hash: SHA-256',
  code_verifier: 'Proves who began this run',
  grant_type: 'What is handed in for tokens',
  code: 'Good once, for a few minutes',
  refresh_token: 'Good for new tokens',
  device_code: 'Which device asks',
  token: 'The token that it is about',
  iss: 'Which server answers',
  error: 'Why it refused',
  error_description: 'The same in a sentence',
}
