// Projects, and pausing them.

import { scopeOf } from '../features/api-keys/record/project-scope.ts'
import { createProject } from '../features/projects/create-project.ts'
import { listProjects } from '../features/projects/list-projects.ts'
import { readProject } from '../features/projects/read-project.ts'
import {
  ChangedProject,
  Project,
  ProjectDetail,
  ProjectId,
  ProjectIn,
  ProjectList,
  ProjectListQuery,
  ProjectPatch,
} from '../features/projects/schemas.ts'
import { updateProject } from '../features/projects/update-project.ts'
import { defineRoute } from '../http/route.ts'

export const projectRoutes = [
  defineRoute({
    id: 'projects.list',
    method: 'get',
    mounts: { '/v1/projects': 'service_role', '/api/projects': 'admin' },
    summary: 'List projects, newest first',
    description: 'A key sees its own project alone, an administrator’s session all.',
    query: ProjectListQuery,
    response: ProjectList,
    handle: ({ deps, principal, query }) => listProjects(deps, scopeOf(principal), query),
  }),
  defineRoute({
    id: 'projects.create',
    method: 'post',
    mounts: { '/api/projects': 'admin' },
    summary: 'Create a project',
    description: 'It is active and has no keys. Create some with its id as `project_id`.',
    body: ProjectIn,
    example: { name: 'web shop' },
    response: Project,
    status: 201,
    handle: ({ deps, caller, body }) => createProject(deps, caller, body),
  }),
  defineRoute({
    id: 'projects.read',
    method: 'get',
    mounts: { '/v1/projects/:id': 'service_role', '/api/projects/:id': 'admin' },
    params: { id: ProjectId },
    summary: 'One project with its keys, and the tables and size of the database',
    description:
      'Keys come without their secrets. Tables, size and files are those of the whole database, which all projects ' +
      'share. With a key any project but its own is 404.',
    response: ProjectDetail,
    handle: ({ deps, principal, params }) => readProject(deps, scopeOf(principal), params.id),
  }),
  defineRoute({
    id: 'projects.update',
    method: 'patch',
    mounts: { '/v1/projects/:id': 'service_role', '/api/projects/:id': 'admin' },
    params: { id: ProjectId },
    summary: 'Rename, pause or resume a project',
    description:
      'Fields that are left out stay. While a project is paused, its keys get 403 `project_paused`, and those of ' +
      'other projects go on. `keys_told` of its active keys are refused within a second, `keys_following` within ' +
      '60 s: these are what lies beyond the 500 that were used last, and what could not be told. Resuming goes ' +
      'the same way. A key may pause its own project; only an administrator’s session resumes it. Safe to repeat.',
    body: ProjectPatch,
    example: { status: 'paused' },
    response: ChangedProject,
    handle: ({ deps, caller, principal, params, body }) =>
      updateProject(deps, caller, scopeOf(principal), params.id, body),
  }),
]
