// Login sessions: who is signed in at which browser. A session begins to exist when its login comes back from the login
// page; only remembered ones are ever found again. Beside them: the subjects that logins forced on pairwise clients.

import type { Database } from '../../service/database.ts'

export interface LoginSession {
  readonly id: string
  readonly subject: string
  /** Seconds since 1970. */
  readonly authenticatedAt: number
}

export interface LoginSessionStore {
  /** The remembered session with this id that has not expired. */
  findRemembered(id: string): Promise<LoginSession | undefined>
  /** Writes a session whose login is done; doing it again with the same id is harmless. */
  confirm(
    session: LoginSession & { readonly remember: boolean; readonly lifespanSeconds: number },
  ): Promise<void>
  end(id: string): Promise<void>
  endAllOf(subject: string): Promise<void>
  /** Sets the name under which a pairwise client knows a subject. */
  forceSubject(clientId: string, subject: string, name: string): Promise<void>
  forcedSubject(clientId: string, subject: string): Promise<string | undefined>
}

export function makeLoginSessionStore(database: Database): LoginSessionStore {
  return {
    async findRemembered(id) {
      const { rows } = await database.query<LoginSession>(
        `select id, subject, extract(epoch from authenticated_at)::float8 as "authenticatedAt"
           from login_sessions where id = $1 and remember and expires_at > now()`,
        [id],
      )
      return rows[0]
    },
    async confirm({ id, subject, authenticatedAt, remember, lifespanSeconds }) {
      await database.query(
        `insert into login_sessions (id, subject, authenticated_at, remember, expires_at)
         values ($1, $2, to_timestamp($3), $4, now() + make_interval(secs => $5))
         on conflict (id) do update set subject = excluded.subject, authenticated_at = excluded.authenticated_at,
           remember = excluded.remember, expires_at = excluded.expires_at`,
        [id, subject, authenticatedAt, remember, lifespanSeconds],
      )
    },
    async end(id) {
      await database.query('delete from login_sessions where id = $1', [id])
    },
    async endAllOf(subject) {
      await database.query('delete from login_sessions where subject = $1', [subject])
    },
    ...makeForcedSubjects(database),
  }
}

function makeForcedSubjects(database: Database): Pick<LoginSessionStore, 'forceSubject' | 'forcedSubject'> {
  return {
    async forceSubject(clientId, subject, name) {
      await database.query(
        `insert into forced_subjects (client_id, subject, name) values ($1, $2, $3)
         on conflict (client_id, subject) do update set name = excluded.name`,
        [clientId, subject, name],
      )
    },
    async forcedSubject(clientId, subject) {
      const { rows } = await database.query<{ name: string }>(
        'select name from forced_subjects where client_id = $1 and subject = $2',
        [clientId, subject],
      )
      return rows[0]?.name
    },
  }
}
