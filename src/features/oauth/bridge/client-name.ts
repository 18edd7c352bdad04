// What an application is called on the screens. Whoever registered it chose the name.

/** Characters that show nothing, or turn the text around them. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Cs}]/gu

/** The client's name without what cannot be seen, on one line; its id when nothing is left. */
export function visibleName(client: { client_id: string; client_name: string | undefined }): string {
  const name = (client.client_name ?? '')
    .replace(INVISIBLE, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return name === '' ? client.client_id : name
}
