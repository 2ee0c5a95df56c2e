import type { Option } from './option.ts'

/**
 * Options by their canonical name. A name with one `*` is a family (`fields.*.sequence-group`), which resolves to a map
 * from what the star stands for to the value.
 */
export type OptionTable = Readonly<Record<string, Option>>

/** What a typed table may hold under `with`: the canonical names of `Table`, with values in the right units. */
export type Given<Table extends OptionTable> = Flat<
  {
    readonly [Name in keyof Table as Place<Name, Table[Name], 'required'>]: InputOf<Table[Name]>
  } & {
    readonly [Name in keyof Table as Place<Name, Table[Name], 'default' | 'optional'>]?:
      | InputOf<Table[Name]>
      | undefined
  }
>

/** Typed values by canonical name: durations in milliseconds, sizes in bytes, families as maps. */
export type Resolved<Table extends OptionTable> = {
  readonly [Name in keyof Table]: Name extends `${string}*${string}`
    ? ReadonlyMap<string, ValueOf<Table[Name]>>
    : Table[Name] extends Option<unknown, unknown, 'optional'>
      ? ValueOf<Table[Name]> | undefined
      : ValueOf<Table[Name]>
}

type ValueOf<O> = O extends Option<infer Value, unknown> ? Value : never
type InputOf<O> = O extends Option<unknown, infer Input> ? Input : never
type PresenceOf<O> = O extends Option<unknown, unknown, infer Presence> ? Presence : never

/** The name as it may be written if the option has that presence; the star of a family stands for any text. */
type Place<Name, O, Presence> =
  PresenceOf<O> extends Presence
    ? Name extends `${infer Prefix}*${infer Suffix}`
      ? `${Prefix}${string}${Suffix}`
      : Name
    : never

/** One object type instead of an intersection: shorter messages in the editor. */
type Flat<T> = { [Name in keyof T]: T[Name] }
