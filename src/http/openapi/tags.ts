// How the reference is grouped: the part of a route's id before the dot, in words. In the order of the reference.

interface Tag {
  readonly name: string
  readonly description: string
}

export const TAGS: Readonly<Record<string, Tag>> = {
  db: {
    name: 'Tables and functions',
    description:
      "REST over the tables, views and functions of the database, in PostgREST's grammar. Row-level security decides " +
      'what an anon key reaches; the claims of an end user’s access token reach the policies.',
  },
  rest: {
    name: 'Tables for supabase-js',
    description: 'The same tables and functions on the wire of PostgREST 14, for its unmodified clients.',
  },
  sql: { name: 'SQL', description: 'SQL of your own over HTTP, one statement or a transaction.' },
  storage: {
    name: 'Storage',
    description:
      'Files in buckets. Policies on `storage.objects` decide who reaches them, as on any table. supabase-js finds ' +
      'the same files under /storage/v1.',
  },
  realtime: {
    name: 'Realtime',
    description:
      'Row changes, messages and presence over WebSockets. supabase-js finds them under /realtime/v1.',
  },
  sessions: { name: 'Dashboard session', description: 'Who is signed in to the dashboard.' },
  database: { name: 'Database', description: 'What is in the database.' },
  backups: {
    name: 'Backups',
    description: 'Which backups of the database there are, and which were proved.',
  },
  branches: { name: 'Branches', description: 'Databases beside this one that began as a copy of it.' },
  keys: { name: 'API keys', description: 'Keys for programs, with a role and an exact rate limit each.' },
  projects: { name: 'Projects', description: 'Groups of API keys, which can be paused together.' },
  identities: { name: 'Identities', description: "The identity provider's people." },
  webhooks: {
    name: 'Webhooks',
    description: 'Row changes, sent to an address of yours in order, signed, retried and logged.',
  },
  audit_logs: { name: 'Audit log', description: 'Who changed what in Quoin itself.' },
  oauth_clients: { name: 'OAuth2 clients', description: 'Applications that people sign in to.' },
  oauth_server: {
    name: 'OAuth2 server',
    description: "The OAuth2 server's health and public documents, and signing people out of it.",
  },
  claims_config: {
    name: 'Claims configuration',
    description: 'Which claims tokens carry beside the standard ones.',
  },
  signing_keys: {
    name: 'Signing keys',
    description: 'What the OAuth2 server signs tokens with, and its rotation.',
  },
  tokens: { name: 'Tokens', description: 'What a token is good for, and ending it.' },
  consent_sessions: { name: 'Consents', description: 'What people have agreed to.' },
  permissions: {
    name: 'Permissions',
    description:
      'Who may do what: relation tuples of the permission server, checks, and who can access an object and why.',
  },
  migrations: {
    name: 'Migrations',
    description: 'What is in the folder migrations/, what the database has of it, and running it.',
  },
  bridge: {
    name: 'Login and consent bridge',
    description:
      'Between the OAuth2 server, which asks who signs in and what is allowed, and the identity provider, which ' +
      'knows. For browsers, and for consent screens of your own.',
  },
  status: { name: 'Status', description: 'Is the platform well?' },
  modules: { name: 'Modules', description: 'What this deployment offers.' },
  metrics: { name: 'Metrics', description: 'How much is called, with what, and how fast.' },
  logs: { name: 'Logs', description: 'What happened, request by request.' },
  billing: { name: 'Billing', description: 'Plans, quotas and usage.' },
  gateway: {
    name: 'Gateway',
    description: 'What Quoin stands on, part by part, and whom it lets in: the access rules.',
  },
  health: { name: 'Health', description: 'For load balancers.' },
  reference: { name: 'Reference', description: 'This API, described by itself.' },
}
