/// A type that reads any JSON: where it does not read a value, no other type would.
package protocol ReadsAnyJSON {}
