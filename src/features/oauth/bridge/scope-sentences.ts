// What a scope means, in words for the person who is asked. Scopes of the deployment's own are shown by their name.

const SENTENCES = new Map([
  ['openid', { title: 'Confirm who you are', detail: 'An identifier of your account' }],
  ['profile', { title: 'See your profile', detail: 'Your name, picture and language' }],
  ['email', { title: 'See your e-mail address', detail: 'And whether it is verified' }],
  ['phone', { title: 'See your phone number', detail: 'And whether it is verified' }],
  ['address', { title: 'See your postal address', detail: 'Where you live or get mail' }],
  ['offline_access', { title: 'Stay signed in', detail: 'Keep this access while you are away' }],
])

export interface ScopeSentence {
  scope: string
  title: string
  detail: string
}

/** The sentence for one scope; `offline` is the server's older name of `offline_access`. */
export function scopeSentence(scope: string): ScopeSentence {
  const known = SENTENCES.get(scope === 'offline' ? 'offline_access' : scope)
  return known === undefined
    ? { scope, title: scope, detail: 'A permission of the application’s own' }
    : { scope, ...known }
}
