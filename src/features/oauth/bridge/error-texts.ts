// What an error says to whoever signs in, by its code: what happened and what to do, in words that need no explanation.
// The words for developers are the error's own; the page shows them in small print.

export interface ErrorText {
  title: string
  text: string
  advice: string
  /** On the button that leads to where the flow can begin again. */
  button?: string
}

const START_AGAIN = 'Go back to the application and start again.'
const TELL = 'Tell whoever runs this service, with the words below.'
const OUT_OF_ORDER = {
  title: 'Sign-in does not work just now',
  text: 'A part of this service does not answer.',
  advice: 'Try again in a moment.',
}
const NOT_SET_UP_RIGHT = {
  title: 'Sign-in is not set up right',
  text: 'A part of this service does not do what it should.',
  advice: TELL,
}
const INCOMPLETE = {
  title: 'Something is missing here',
  text: 'What your browser sent is not complete, or was damaged on its way.',
  advice: START_AGAIN,
}
const ANYTHING_ELSE: ErrorText = {
  title: 'Something went wrong',
  text: 'This step could not be finished.',
  advice: 'Try again. If it stays, tell whoever runs this service, with the words below.',
}

const TEXTS: Readonly<Record<string, ErrorText>> = {
  account_unavailable: {
    title: 'This account cannot be used',
    text: 'It is disabled or no longer exists.',
    advice: 'Sign in with another account, or ask whoever runs this service.',
    button: 'Sign in with another account',
  },
  admission_unavailable: OUT_OF_ORDER,
  challenge_expired: {
    title: 'This page has expired',
    text: 'It waited for an answer for too long.',
    advice: START_AGAIN,
  },
  challenge_not_found: {
    title: 'This page does not exist any more',
    text: 'Or its address was cut short on its way to you.',
    advice: START_AGAIN,
  },
  challenge_used: {
    title: 'This was answered already',
    text: 'Each question is asked once, and this one has its answer.',
    advice: START_AGAIN,
  },
  cross_site_request: {
    title: 'This form came from another site',
    text: 'To be on the safe side, nothing was done.',
    advice: START_AGAIN,
  },
  database_unavailable: OUT_OF_ORDER,
  form_token_invalid: {
    title: 'This form is not valid any more',
    text: 'It was not opened in this browser, or the browser has not kept its cookies.',
    advice: 'Go back, load the page again, and let the browser keep cookies of this site.',
  },
  invalid_body: INCOMPLETE,
  invalid_parameter: INCOMPLETE,
  method_not_allowed: {
    title: 'This page cannot be opened on its own',
    text: 'Only a form leads here.',
    advice: START_AGAIN,
  },
  not_configured: {
    title: 'Sign-in is not set up',
    text: 'This service lacks a setting that signing in needs.',
    advice: TELL,
  },
  not_found: {
    title: 'Page not found',
    text: 'The address is mistyped, or was cut short on its way to you.',
    advice: START_AGAIN,
  },
  rate_limited: {
    title: 'Too many attempts',
    text: 'There were too many of them from your network within a minute.',
    advice: 'Wait a minute, then try again.',
  },
  second_factor_required: {
    title: 'A second factor is needed',
    text: 'Your account asks for one more step when you sign in.',
    advice: 'Start again and sign in with it.',
  },
  session_required: {
    title: 'You are signed out',
    text: 'Your session has ended since you signed in for this.',
    advice: 'Start again and sign in.',
  },
  sign_in_loop: {
    title: 'Signing in does not work here',
    text: 'It has led you back to where it began, more than once.',
    advice: 'Start again if you left it. Otherwise tell whoever runs this service, with the words below.',
  },
  subject_mismatch: {
    title: 'You are signed in as somebody else',
    text: 'The application’s request belongs to the account that signed in for it.',
    advice: 'Start again with the account that you want to use.',
  },
  upstream_answer_too_large: NOT_SET_UP_RIGHT,
  upstream_invalid_answer: NOT_SET_UP_RIGHT,
  upstream_misconfigured: NOT_SET_UP_RIGHT,
  upstream_unavailable: OUT_OF_ORDER,
  validation_failed: INCOMPLETE,
}

/** The text for a code; one that fits everything for codes that people do not come by here. */
export function errorText(code: string): ErrorText {
  return TEXTS[code] ?? ANYTHING_ELSE
}
