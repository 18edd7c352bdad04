import { Banner, Link, Select, Tabs } from '@cloudflare/kumo'
import { InfoIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import type { Schema } from '../../../api/client.ts'
import { CopyText } from '../../../parts/copy-text.tsx'
import { Fact, Facts, None } from '../../../parts/facts.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { discoveryQuery } from '../../../parts/oauth/queries.ts'
import { CodeBlock } from './code-block.tsx'
import { FLOW_LABELS, type Flow, flowsOf, type Given, givenOf } from './given.ts'
import { LANGUAGE_WORDS, LANGUAGES, type Language, programOf } from './languages.ts'

/** One client's programs; what was not chosen yet is the first that fits. */
export function Snippet({
  of: client,
  language: wantedLanguage,
  flow: wantedFlow,
  onChoose,
}: {
  of: Schema<'OAuthClient'>
  language: string | undefined
  flow: string | undefined
  onChoose: (chosen: { language: Language; flow: Flow }) => void
}) {
  const server = useQuery(discoveryQuery)
  const flows = flowsOf(client)
  const flow = flows.find(name => name === wantedFlow) ?? flows[0]
  const language = LANGUAGES.find(name => name === wantedLanguage) ?? 'curl'
  if (flow === undefined)
    return (
      <Banner
        variant="secondary"
        icon={<InfoIcon weight="fill" />}
        title="None of its grants gets a token by itself"
        description={
          <>
            The implicit grant is deprecated: no program is offered for it.{' '}
            <Link href={`/oauth2/clients/${encodeURIComponent(client.client_id)}`}>
              Give it the authorization code
            </Link>
          </>
        }
      />
    )
  return (
    <>
      {flows.length > 1 && (
        <Select
          label="Grant"
          className="w-80 max-w-full"
          items={Object.fromEntries(flows.map(value => [value, FLOW_LABELS[value]]))}
          value={flow}
          onValueChange={value => value !== null && onChoose({ language, flow: value })}
        />
      )}
      <Tabs
        variant="underline"
        tabs={LANGUAGES.map(value => ({ value, label: LANGUAGE_WORDS[value].label }))}
        value={language}
        onValueChange={value => onChoose({ language: value as Language, flow })}
      />
      <Loaded query={server}>
        {document => <Program language={language} flow={flow} given={givenOf(client, document, flow)} />}
      </Loaded>
    </>
  )
}

function Program({ language, flow, given }: { language: Language; flow: Flow; given: Given }) {
  const program = programOf(language, flow, given)
  if ('reason' in program)
    return (
      <Banner
        variant="secondary"
        icon={<InfoIcon weight="fill" />}
        title={program.reason}
        description={program.instead}
      />
    )
  const { file, run, comment } = LANGUAGE_WORDS[language]
  return (
    <>
      <Facts>
        <Fact label="Run it" help={`Saved as ${file}`}>
          <CopyText value={run} whole label="Copy how it is run" />
        </Fact>
        {given.method !== 'none' && (
          <Fact label="Secret" help="In the environment, never in a file">
            <code>export CLIENT_SECRET=…</code>
          </Fact>
        )}
        {flow === 'code' && (
          <Fact label="Redirect URI" help="One of the client's">
            {given.redirectUri}
          </Fact>
        )}
        <Fact label="Scopes">{given.scope === '' ? <None>the server's own choice</None> : given.scope}</Fact>
      </Facts>
      <CodeBlock label={file} code={program.text} comment={comment} />
      {language === 'browser' && (
        <p className="text-kumo-subtle">
          It is the script of the page at the redirect URI. The OAuth2 server must let that page's origin call
          it (serve.public.cors).
        </p>
      )}
    </>
  )
}
