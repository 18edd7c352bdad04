// Which files of a run share a transaction. Pure.

/** Files that run one behind the other, and are committed before the next part begins. */
export interface BatchPart<File> {
  readonly files: readonly File[]
  /** False: one file that asked for none, whose statements are each committed by themselves. */
  readonly inTransaction: boolean
}

/** The files in their order; each of those for which `isOutside` holds is a part of its own. */
export function partsOf<File>(files: readonly File[], isOutside: (file: File) => boolean): BatchPart<File>[] {
  const parts: { files: File[]; inTransaction: boolean }[] = []
  for (const file of files) {
    const inTransaction = !isOutside(file)
    const last = parts.at(-1)
    if (inTransaction && last?.inTransaction) last.files.push(file)
    else parts.push({ files: [file], inTransaction })
  }
  return parts
}
