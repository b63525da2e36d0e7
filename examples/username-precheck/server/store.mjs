/**
 * Who has which name: SQLite, one table, a unique index. The index decides who gets a name, here and nowhere else; two
 * claims at the same instant are two INSERTs, and the second one fails.
 * `line` is the filter's line that a name asks. With it the database can say whose bits a mistaken name met.
 */
import Database from "better-sqlite3";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS handles (name TEXT NOT NULL, line INTEGER NOT NULL, claimed_at INTEGER);
  CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
`;
const INDEXES = `
  CREATE UNIQUE INDEX IF NOT EXISTS handles_name ON handles (name);
  CREATE INDEX IF NOT EXISTS handles_claimed ON handles (claimed_at) WHERE claimed_at IS NOT NULL;
`;

const LINE_INDEX = "CREATE INDEX IF NOT EXISTS handles_line ON handles (line)";

export class Store {
  #db;
  #find;
  #insert;
  #claims;
  #onLine;

  /** @param {string} path a file, or ":memory:" */
  constructor(path) {
    this.#db = new Database(path);
    this.#db.pragma("journal_mode = WAL");
    this.#db.pragma("synchronous = NORMAL");
    this.#db.exec(SCHEMA + INDEXES + LINE_INDEX);
    this.#find = this.#db.prepare("SELECT claimed_at AS claimedAt FROM handles WHERE name = ?");
    this.#insert = this.#db.prepare("INSERT INTO handles (name, line, claimed_at) VALUES (?, ?, ?)");
    this.#claims = this.#db.prepare(
      "SELECT name, claimed_at AS claimedAt FROM handles WHERE claimed_at IS NOT NULL ORDER BY claimed_at DESC, rowid DESC",
    );
    this.#onLine = this.#db.prepare("SELECT name FROM handles WHERE line = ? AND claimed_at IS NULL ORDER BY name");
  }

  /**
   * Fills the table with a snapshot, unless it is there already. Claims of earlier runs stay.
   * @param {string} snapshot its id
   * @param {() => Iterable<string>} names
   * @param {(name: string) => number} lineOf
   * @returns {boolean} whether anything was done
   */
  fill(snapshot, names, lineOf) {
    const found = /** @type {{ value: string } | undefined} */ (
      this.#db.prepare("SELECT value FROM facts WHERE name = 'snapshot'").get()
    );
    if (found?.value === snapshot) return false;
    this.#db.transaction(() => {
      this.#db.exec("DELETE FROM handles WHERE claimed_at IS NULL");
      // Names come sorted, lines do not: their index is faster made afterwards.
      this.#db.exec("DROP INDEX handles_line");
      // A name that was claimed earlier stays claimed.
      const add = this.#db.prepare("INSERT OR IGNORE INTO handles (name, line, claimed_at) VALUES (?, ?, NULL)");
      for (const name of names()) add.run(name, lineOf(name));
      this.#db.exec(LINE_INDEX);
      this.#db.prepare("INSERT OR REPLACE INTO facts (name, value) VALUES ('snapshot', ?)").run(snapshot);
    })();
    return true;
  }

  /**
   * @param {string} name
   * @returns {{ taken: boolean, claimedAt: number | null }}
   */
  find(name) {
    const row = /** @type {{ claimedAt: number | null } | undefined} */ (this.#find.get(name));
    return row ? { taken: true, claimedAt: row.claimedAt } : { taken: false, claimedAt: null };
  }

  /**
   * Gives the name to whoever asks first. The unique index decides: there is no look before this leap.
   * @param {string} name
   * @param {number} line
   * @param {number} now milliseconds since 1970
   * @returns {boolean} false when somebody has it
   */
  claim(name, line, now) {
    try {
      this.#insert.run(name, line, now);
      return true;
    } catch (error) {
      if (/** @type {{ code?: string }} */ (error).code === "SQLITE_CONSTRAINT_UNIQUE") return false;
      throw error;
    }
  }

  /** @returns {{ name: string, claimedAt: number }[]} newest first */
  claims() {
    return /** @type {{ name: string, claimedAt: number }[]} */ (this.#claims.all());
  }

  /**
   * @param {number} line
   * @returns {string[]} the names of the snapshot that ask this line
   */
  namesOnLine(line) {
    return /** @type {{ name: string }[]} */ (this.#onLine.all(line)).map((row) => row.name);
  }

  close() {
    this.#db.close();
  }
}
