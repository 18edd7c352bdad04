// What is kept of the text that pg_dump writes.

import { describe, expect, it } from 'vitest'
import { withoutHead } from '../../../cli/backup/schema-dump.ts'

const HEAD = `--
-- PostgreSQL database dump
--

\\restrict abc

-- Dumped from database version 18.4
-- Dumped by pg_dump version 18.3

SET statement_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET row_security = off;

`
const BODY = `CREATE FUNCTION public.f() RETURNS text
    LANGUAGE sql
    AS $$
-- a comment
\\restrict abc
select 'SET x = 1;'
$$;


--
-- Name: t; Type: TABLE; Schema: public; Owner: o
--

CREATE TABLE public.t (
);
`
const TAIL = `

--
-- PostgreSQL database dump complete
--

\\unrestrict abc

`

describe('the text of pg_dump', () => {
  it('is kept but for the settings at its head and the commands of psql around it', () => {
    expect(withoutHead(HEAD + BODY + TAIL)).toBe(BODY)
  })
  it('may be empty', () => {
    expect(withoutHead(HEAD + TAIL)).toBe('')
  })
  it('is refused where backslashes would mean something else', () => {
    expect(() => withoutHead(HEAD.replace('strings = on', 'strings = off') + BODY)).toThrow('backslashes')
  })
})
