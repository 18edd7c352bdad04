// A browser without JavaScript, as a script: keeps cookies, follows redirects and the pages that go on by themselves,
// reads forms and sends them. For flows in which a person signs in and consents; test/browser has the real one.

export interface Form {
  readonly action: string
  readonly method: 'get' | 'post'
  /** What the form sends when nothing is changed: name and value, checkboxes only when checked. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** Values of every checkbox by name, checked or not. */
  readonly choices: Readonly<Record<string, readonly string[]>>
  readonly buttons: readonly Button[]
}

/** A submit button: what it adds to the form, and where it sends it when not to the form's own action. */
export interface Button {
  readonly field: readonly [name: string, value: string] | undefined
  readonly action: string | undefined
}

/** Where the browser is. A redirect out of the stack (an application's callback) is not loaded: `html` is empty. */
export interface Page {
  readonly url: URL
  readonly status: number
  readonly html: string
  readonly forms: readonly Form[]
}

export interface Submission {
  /** Replaces the fields of these names; null takes a field away, an array sends it several times. */
  readonly fields?: Readonly<Record<string, string | readonly string[] | null>>
  readonly button?: Button | undefined
}

const STEPS_MAX = 30

export class UserAgent {
  /** By name: all parts of the stack are one host to a browser, whatever their ports. */
  readonly cookies = new Map<string, string>()
  /** Every address that was visited, the newest last. */
  readonly visited: string[] = []
  /** Addresses of every frame on the way; they are not loaded. */
  readonly frames: string[] = []
  readonly #stops: readonly string[]

  /** Does not load addresses that begin with one of `stops`: the applications' callbacks. */
  constructor(stops: readonly string[]) {
    this.#stops = stops
  }

  /** Opens an address as if it were typed in, and ends on a page or a stop. */
  open(url: string | URL): Promise<Page> {
    return this.#load(new URL(url), { method: 'GET' })
  }

  /** Sends a form of the page. */
  submit(page: Page, form: Form, { fields = {}, button }: Submission = {}): Promise<Page> {
    const replaced = new Set(Object.keys(fields))
    const sent = form.fields.filter(([name]) => !replaced.has(name)).map(pair => [...pair])
    for (const [name, value] of Object.entries(fields)) {
      if (value === null) continue
      for (const item of typeof value === 'string' ? [value] : value) sent.push([name, item])
    }
    if (button?.field) sent.push([...button.field])
    const body = new URLSearchParams(sent)
    const target = new URL(button?.action ?? form.action, page.url)
    if (form.method === 'get') {
      target.search = body.toString()
      return this.open(target)
    }
    return this.#load(target, { method: 'POST', body, headers: { origin: page.url.origin } })
  }

  async #load(start: URL, first: RequestInit): Promise<Page> {
    let [url, init] = [start, first]
    for (let step = 0; step < STEPS_MAX; step++) {
      this.visited.push(url.href)
      if (this.#stops.some(stop => url.href.startsWith(stop))) return { url, status: 0, html: '', forms: [] }
      const response = await this.#fetch(url, init)
      const html = await response.text()
      for (const [, src = ''] of html.matchAll(/<iframe\b[^>]*\bsrc="([^"]+)"/gi))
        this.frames.push(unescapeHtml(src))
      const next = nextAddress(response, html)
      if (next === undefined) return { url, status: response.status, html, forms: readForms(html) }
      url = new URL(next, url)
      init = { method: 'GET' }
    }
    throw new Error(`more than ${STEPS_MAX} redirects, the last to ${url.href.slice(0, 200)}`)
  }

  async #fetch(url: URL, init: RequestInit): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8', ...init.headers, cookie }
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    return response
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split(';')
    const at = pair.indexOf('=')
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)]
    const isGone =
      value === '' || attributes.some(each => /max-age=(0|-\d+)|expires=\w+, 01 jan 1970/i.test(each))
    if (isGone) this.cookies.delete(name)
    else this.cookies.set(name, value)
  }
}

function nextAddress(response: Response, html: string): string | undefined {
  const location = response.headers.get('location')
  if (response.status >= 300 && response.status < 400 && location !== null) return location
  const refresh = /<meta[^>]+http-equiv="?refresh"?[^>]*>/i.exec(html)?.[0]
  const address = refresh && /content="\s*\d+\s*;\s*url=([^"]+)"/i.exec(refresh)?.[1]
  return address && unescapeHtml(address)
}

function readForms(html: string): Form[] {
  return [...html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gis)].map(([, attributes = '', inside = '']) => {
    const inputs = [...inside.matchAll(/<(input|button)\b([^>]*)>/gi)].map(([, tag = '', text = '']) => ({
      tag: tag.toLowerCase(),
      ...attributesOf(text),
    }))
    const named = inputs.filter(input => input.name !== undefined) as (Attributes & {
      tag: string
      name: string
    })[]
    const isButton = (input: Attributes & { tag: string }) =>
      input.tag === 'button' || input.type === 'submit'
    const plain = named.filter(input => !isButton(input))
    const boxes = plain.filter(input => input.type === 'checkbox')
    const { action = '', method = 'get' } = attributesOf(attributes)
    return {
      action,
      method: method.toLowerCase() === 'post' ? 'post' : 'get',
      fields: plain
        .filter(input => input.type !== 'checkbox' || input.checked)
        .map(input => [input.name, input.value ?? (input.type === 'checkbox' ? 'on' : '')] as const),
      choices: Object.fromEntries(
        boxes.map(({ name }) => [name, boxes.filter(box => box.name === name).map(box => box.value ?? 'on')]),
      ),
      buttons: inputs.filter(isButton).map(({ name, value = '', formaction }) => ({
        field: name === undefined ? undefined : ([name, value] as const),
        action: formaction,
      })),
    }
  })
}

interface Attributes {
  name?: string
  value?: string
  type?: string
  action?: string
  formaction?: string
  method?: string
  checked?: boolean
}

function attributesOf(text: string): Attributes {
  const found: Record<string, string | boolean> = {}
  for (const [, name = '', quoted, bare] of text.matchAll(/([\w-]+)(?:\s*=\s*(?:"([^"]*)"|([^\s"'>]+)))?/g)) {
    const value = quoted ?? bare
    found[name.toLowerCase()] = name.toLowerCase() === 'checked' ? true : unescapeHtml(value ?? '')
  }
  return found
}

function unescapeHtml(text: string): string {
  const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
  return text.replace(/&(#x[0-9a-f]+|#\d+|\w+);/gi, (whole, code: string) => {
    if (code.startsWith('#')) return String.fromCodePoint(Number(code.replace(/^#x/i, '0x').replace('#', '')))
    return named[code.toLowerCase()] ?? whole
  })
}
