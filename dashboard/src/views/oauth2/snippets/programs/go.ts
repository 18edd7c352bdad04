// For Go 1.24 with golang.org/x/oauth2. Pure.

import type { Flow, Given } from '../given.ts'
import { quotedText } from '../quote.ts'

function file(imports: readonly string[], own: readonly string[], body: string): string {
  const lines = (names: readonly string[]) =>
    [...names]
      .sort()
      .map(name => `\t"${name}"\n`)
      .join('')
  return `package main

import (
${lines(imports)}
${lines(own)})

func main() {
${body}}
`
}

const style = ({ method }: Given) =>
  method === 'client_secret_basic' ? 'oauth2.AuthStyleInHeader' : 'oauth2.AuthStyleInParams'

/** Lines of a composite literal, aligned as gofmt does. */
function fields(indent: string, values: Record<string, string>): string {
  const width = Math.max(...Object.keys(values).map(name => name.length)) + 1
  const lines = Object.entries(values).map(([name, value]) => `${`${name}:`.padEnd(width)} ${value},\n`)
  return lines.map(line => indent + line).join('')
}

const secretOf = ({ method }: Given): Record<string, string> =>
  method === 'none' ? {} : { ClientSecret: 'os.Getenv("CLIENT_SECRET")' }

const scopesOf = ({ scope }: Given) =>
  `[]string{${scope.split(' ').filter(Boolean).map(quotedText).join(', ')}}`

const os = ({ method }: Given) => (method === 'none' ? [] : ['os'])

function machine(given: Given): string {
  const config = fields('\t\t', {
    ClientID: quotedText(given.clientId),
    ...secretOf(given),
    TokenURL: quotedText(given.tokenEndpoint),
    Scopes: scopesOf(given),
    AuthStyle: style(given),
  })
  return file(
    ['context', 'fmt', 'log', ...os(given)],
    ['golang.org/x/oauth2', 'golang.org/x/oauth2/clientcredentials'],
    `	config := clientcredentials.Config{
${config}	}
	token, err := config.Token(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%+v\\n", token)
`,
  )
}

function configOf(given: Given, own: Record<string, string>, addresses: Record<string, string>): string {
  const first = { ClientID: quotedText(given.clientId), ...secretOf(given), Scopes: scopesOf(given), ...own }
  const endpoint = { ...addresses, TokenURL: quotedText(given.tokenEndpoint), AuthStyle: style(given) }
  return `	config := oauth2.Config{
${fields('\t\t', first)}		Endpoint: oauth2.Endpoint{
${fields('\t\t\t', endpoint)}		},
	}
`
}

function code(given: Given): string {
  const config = configOf(
    given,
    { RedirectURL: quotedText(given.redirectUri) },
    { AuthURL: quotedText(given.authorizationEndpoint) },
  )
  return file(
    ['context', 'crypto/rand', 'fmt', 'log', 'net/url', ...os(given)],
    ['golang.org/x/oauth2'],
    `${config}	verifier := oauth2.GenerateVerifier()
	state := rand.Text()
	fmt.Println("Open this and sign in:")
	fmt.Println(config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier)))

	// A server takes the address of its own request instead.
	fmt.Println("Paste the address that the browser ends at:")
	var text string
	fmt.Scanln(&text)
	back, err := url.Parse(text)
	if err != nil || back.Query().Get("state") != state {
		log.Fatal("it is not the answer to this request")
	}
	token, err := config.Exchange(context.Background(), back.Query().Get("code"), oauth2.VerifierOption(verifier))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%+v\\n", token)
`,
  )
}

function device(given: Given): string {
  const config = configOf(given, {}, { DeviceAuthURL: quotedText(given.deviceEndpoint) })
  return file(
    ['context', 'fmt', 'log', ...os(given)],
    ['golang.org/x/oauth2'],
    `${config}	ctx := context.Background()
	device, err := config.DeviceAuth(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("Open %s and type %s\\n", device.VerificationURI, device.UserCode)

	token, err := config.DeviceAccessToken(ctx, device)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%+v\\n", token)
`,
  )
}

export const go: Record<Flow, (given: Given) => string> = { code, machine, device }
