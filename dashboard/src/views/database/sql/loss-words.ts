// What a script would lose, in sentences. The Worker has decided; here are the words.

import type { Schema } from '../../../api/schema.ts'

type SqlCheck = Schema<'SqlCheckResponse'>
type Loss = SqlCheck['statements'][number]['losses'][number]

/** A sentence for each thing that is lost, and one for each statement that nobody can look into. */
export function lossSentences({ statements }: SqlCheck): string[] {
  const isScript = statements.length > 1
  return statements.flatMap(({ losses, opaque }, i) => {
    const place = isScript ? `Statement ${i + 1}: ` : ''
    const unseen =
      isScript && opaque ? [`Statement ${i + 1} runs code (DO or CALL): what it does is not seen.`] : []
    // A statement may take away the same thing twice.
    return [...new Set(losses.map(loss => place + lossSentence(loss))), ...unseen]
  })
}

export function losesSomething({ statements }: SqlCheck): boolean {
  return statements.some(({ losses }) => losses.length > 0)
}

function lossSentence(loss: Loss): string {
  const what = `${loss.object_kind} ${loss.object}`
  const more = loss.cascades ? ` ${cascadeWords(loss)}` : ''
  switch (loss.kind) {
    case 'delete_rows':
    case 'truncate':
      return `Every row of the ${what} is deleted${howMany(loss)}.${more}`
    case 'update_rows':
      return `Every row of the ${what} is changed${howMany(loss)}.`
    case 'merge_rows':
      return `Rows of the ${what} are changed or deleted whatever is in them. It has ${rowWords(loss)}.`
    case 'drop':
      if (loss.object_kind === 'owned') return `Everything that ${loss.object} owns is dropped.${more}`
      return `The ${what} is dropped${loss.rows === null ? '' : `, with ${rowWords(loss)}`}.${more}`
    case 'drop_column':
      return `The column ${loss.part} of the ${what} is dropped${valuesIn(loss)}.${more}`
    case 'change_type':
      return `The column ${loss.part} of the ${what} gets another type${valuesIn(loss)}: values may be cut or rounded.`
    case 'drop_constraint':
      return `The constraint ${loss.part} of the ${what} is dropped.${more}`
  }
}

function cascadeWords({ kind }: Loss): string {
  if (kind === 'truncate') return 'So is every row of the tables that refer to it.'
  if (kind === 'delete_rows') return 'So are the rows of other tables that refer to them.'
  return 'What depends on it goes too.'
}

function howMany(loss: Loss): string {
  return loss.rows === null ? '' : `: ${rowWords(loss)}`
}

function valuesIn(loss: Loss): string {
  return loss.rows === null ? '' : `, in ${rowWords(loss)}`
}

function rowWords({ rows, rows_exact: isExact }: Loss): string {
  if (rows === null) return 'an unknown number of rows'
  return `${isExact ? '' : 'about '}${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'}`
}
