# frozen_string_literal: true

require 'date'

# The payroll of a company: takes the hours of each employee, computes wages and taxes, and writes payslips.

Employee = Struct.new(:number, :name, :rate, :tax_class, :joined)

class TaxTable
  def initialize
    @brackets = (1..6).to_h do |tax_class|
      [tax_class, Array.new(60) { |step| [step * 10_000, 0.1 + (step * 0.005) + (tax_class * 0.004)] }]
    end
  end

  def tax(tax_class, cents)
    _, share = @brackets.fetch(tax_class).reverse_each.find { |limit, _| cents >= limit }
    (cents * share).round
  end
end

class TimeSheet
  def initialize(seed)
    @random = Random.new(seed)
  end

  def hours(_employee, month)
    (1..Date.new(month.year, month.month, -1).day).filter_map do |day|
      next if Date.new(month.year, month.month, day).saturday? || @random.rand < 0.05

      [day, 6 + (@random.rand(5) / 2.0)]
    end
  end
end

class Payslip
  attr_reader :employee, :month, :gross, :tax, :lines

  def initialize(employee, month, gross, tax, lines)
    @employee = employee
    @month = month
    @gross = gross
    @tax = tax
    @lines = lines
  end

  def net
    gross - tax
  end

  def render
    head = "#{employee.name} (#{employee.number}), #{month.strftime('%B %Y')}"
    "#{head}\n#{lines.join("\n")}\ngross #{gross / 100.0}, tax #{tax / 100.0}, net #{net / 100.0}\n"
  end
end

class Payroll
  def initialize(taxes, sheets)
    @taxes = taxes
    @sheets = sheets
    @payslips = Hash.new { |hash, number| hash[number] = [] }
  end

  def run(employees, month)
    employees.sum do |employee|
      next 0 if employee.joined > month

      payslip = compute(employee, month)
      file(payslip)
      payslip.net
    end
  end

  def compute(employee, month)
    gross = 0
    lines = @sheets.hours(employee, month).map do |day, hours|
      cents = (hours * employee.rate).round
      gross += cents
      format('%<day>02d.  %<hours>4.1f h at %<rate>6.2f = %<sum>8.2f', day: day, hours: hours, rate: employee.rate / 100.0, sum: cents / 100.0)
    end
    Payslip.new(employee, month, gross, @taxes.tax(employee.tax_class, gross), lines)
  end

  def file(payslip)
    @payslips[payslip.employee.number] << payslip # guilty
  end

  # The year so far, for the last line of a certificate.
  def year_of(number)
    @payslips[number].sum(&:gross)
  end

  def last(number)
    @payslips[number].last
  end
end

class Bank
  attr_reader :batches

  def initialize
    @batches = 0
  end

  def transfer(total)
    @batches += total.positive? ? 1 : 0
  end
end

def main
  employees = Array.new(1150) do |number|
    Employee.new(number, "Employee #{number}", 1900 + (number * 37 % 2600), 1 + (number % 6), Date.new(2020 + (number % 3), 1 + (number % 12), 1))
  end
  payroll = Payroll.new(TaxTable.new, TimeSheet.new(6))
  bank = Bank.new
  8.times do |index|
    bank.transfer(payroll.run(employees, Date.new(2022, 5 + index, 1)))
  end
  puts payroll.last(3).render.lines.last
  puts "#{bank.batches} batches, #{payroll.year_of(3)}"
end

main
