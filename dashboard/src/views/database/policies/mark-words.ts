// Why rows have their policies beside them, or have not.

import type { Schema } from '../../../api/schema.ts'

export const MARK_WORDS: Readonly<Record<Schema<'TryAsResponse'>['marks'], string>> = {
  made: 'Beside each stand the policies whose expression holds for it, asked as this caller.',
  not_one_table:
    'To see the policies of each row, read one table plainly, without OFFSET: select * from a_table where …',
  no_row_level_security: 'Row-level security is off: no policy decides about these rows, grants alone do.',
  columns_only: 'anon may read some columns of this table alone, so its rows cannot be asked about.',
  out_of_time: 'There was no time left to ask the policies about them.',
  failed: 'The policies could not be asked about them.',
}
