import { expect, it } from 'vitest'
import { parsePermissionFile } from '../../../src/features/permissions/language/parse.ts'
import { printRewrite } from '../../../src/features/permissions/language/print-rewrite.ts'

function words(rule: string): string | undefined {
  const { file, errors } = parsePermissionFile(`
    class Doc implements Namespace {
      related: { owner: Doc[], editor: Doc[], banned: Doc[], parent: Doc[] }
      permits = { edit: (ctx: Context): boolean => this.related.owner.includes(ctx.subject),
                  view: (ctx: Context): boolean => ${rule} }
    }`)
  expect(errors).toEqual([])
  const permit = file.namespaces[0]?.permits.find(({ name }) => name === 'view')
  return permit && printRewrite(permit.rewrite)
}

const has = (relation: string) => `this.related.${relation}.includes(ctx.subject)`

it.each([
  [`${has('owner')} || ${has('editor')} || this.permits.edit(ctx)`, 'owner or editor or edit'],
  ['this.related.parent.traverse(p => p.permits.view(ctx))', 'view of parent'],
  [`${has('owner')} && !${has('banned')}`, 'owner and not (banned)'],
  [`(${has('owner')} || ${has('editor')}) && !(${has('banned')})`, '(owner or editor) and not (banned)'],
])('a rule is said in words: %s', (rule, expected) => {
  expect(words(rule)).toBe(expected)
})

it('a rule of any length is said in a text of some length', () => {
  const rule = Array.from({ length: 2_000 }, (_, i) => `${has('owner')} ${i % 2 ? '||' : '&&'}`).join(' ')
  expect(words(`${rule} ${has('editor')}`)).toContain('…')
})
