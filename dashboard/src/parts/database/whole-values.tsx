// The values of one row whole, to read: texts with their lines, JSON folded. The type jsonb has no form of its own:
// it gets a line for each value. The type json keeps its text, so it is shown as it was stored.

import { CodeEditor } from '../code-editor.tsx'
import { prettyJson } from '../exact-json.ts'
import { Fact, Facts } from '../facts.tsx'
import { ValueText } from './value-text.tsx'

interface WholeValue {
  name: string
  type: string
  text: string | null
}

export function WholeValues({ values }: { values: readonly WholeValue[] }) {
  return (
    <Facts>
      {values.map(({ name, type, text }) => (
        <Fact key={name} label={name} help={type}>
          <Whole name={name} type={type} text={text} />
        </Fact>
      ))}
    </Facts>
  )
}

function Whole({ name, type, text }: WholeValue) {
  if (text === null || text === '') return <ValueText text={text} />
  if (/^jsonb?$/.test(type) && /^[[{]/.test(text))
    return (
      <CodeEditor
        label={name}
        language="json"
        value={type === 'jsonb' ? prettyJson(text) : text}
        isReadOnly
        className="max-h-96"
      />
    )
  return <pre className="whitespace-pre-wrap">{text}</pre>
}
