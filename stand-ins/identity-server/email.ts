const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\uffff-]+"
const LOCAL_PART = new RegExp(`^${ATOM}(\\.${ATOM})*$`)
const LABEL = /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/
const ADDRESS_LENGTH_MAX = 254
const LOCAL_PART_LENGTH_MAX = 64

/** Whether the text is an address of JSON Schema's format `email`: a dotted local part at a host name. Pure. */
export function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  if (at < 1 || text.length > ADDRESS_LENGTH_MAX) return false
  const local = text.slice(0, at)
  const domain = text.slice(at + 1)
  return (
    local.length <= LOCAL_PART_LENGTH_MAX &&
    LOCAL_PART.test(local) &&
    domain.split('.').every(label => LABEL.test(label))
  )
}
