! A Monte Carlo of neutrons in a slab: follows each history until it leaks or is absorbed, banks what fissions give, and runs one
! generation after another.
module bank_mod
    implicit none
    integer, parameter :: dp = kind(1.0d0)

    type :: site
        real(dp) :: position(3), direction(3)
        real(dp) :: energy, weight
        integer :: generation, cell
        real(dp), allocatable :: track(:, :)
        type(site), pointer :: next => null()
    end type site

    type :: bank
        type(site), pointer :: first => null()
        integer :: count = 0
    end type bank
end module bank_mod

module transport
    use bank_mod
    implicit none
    integer(8) :: seed = 4711
    real(dp), allocatable :: flux(:, :), cross_section(:, :)
    type(bank) :: fission
contains
    real(dp) function rnd()
        seed = iand(seed*1103515245_8 + 12345_8, 2147483647_8)
        rnd = real(ishft(seed, -8), dp)/8388608.0_dp
    end function rnd

    subroutine read_library(energies, nuclides)
        integer, intent(in) :: energies, nuclides
        integer :: e, n
        allocate (cross_section(energies, nuclides), flux(400, 200))
        flux = 0
        do n = 1, nuclides
            do e = 1, energies
                cross_section(e, n) = 0.3_dp + 0.1_dp*sin(real(e*n, dp)*0.001_dp)
            end do
        end do
    end subroutine read_library

    function isotropic() result(u)
        real(dp) :: u(3), mu, phi
        mu = 2*rnd() - 1
        phi = 6.283185307_dp*rnd()
        u = [mu, sqrt(1 - mu*mu)*cos(phi), sqrt(1 - mu*mu)*sin(phi)]
    end function isotropic

    ! What the next generation starts from.
    subroutine bank_site(position, energy, generation, track)
        real(dp), intent(in) :: position(3), energy, track(:, :)
        integer, intent(in) :: generation
        type(site), pointer :: new
        allocate (new)
        new%position = position
        new%direction = isotropic()
        new%energy = energy
        new%weight = 1
        new%generation = generation
        new%cell = 1 + int(abs(position(1))*10)
        allocate (new%track(3, size(track, 2)), source=track) ! guilty
        new%next => fission%first
        fission%first => new
        fission%count = fission%count + 1
    end subroutine bank_site

    subroutine tally(position, energy, length)
        real(dp), intent(in) :: position(3), energy, length
        integer :: x, e
        x = 1 + mod(int(abs(position(1))*20), 400)
        e = 1 + mod(int(energy*90), 200)
        flux(x, e) = flux(x, e) + length
    end subroutine tally

    subroutine follow(start, direction, energy0, generation)
        real(dp), intent(in) :: start(3), direction(3), energy0
        integer, intent(in) :: generation
        real(dp) :: position(3), u(3), energy, length, track(3, 40)
        integer :: steps, n
        position = start
        u = direction
        energy = energy0
        do steps = 1, 40
            n = 1 + mod(steps, size(cross_section, 2))
            length = -log(1 - rnd())/cross_section(1 + int(energy*100), n)
            position = position + u*length
            track(:, steps) = position
            if (abs(position(1)) > 60) return
            call tally(position, energy, length)
            if (rnd() < 0.1_dp) then
                if (rnd() < 0.42_dp) then
                    call bank_site(position, 1.8_dp, generation + 1, track(:, 1:steps))
                    call bank_site(position, 1.2_dp, generation + 1, track(:, 1:steps))
                end if
                return
            end if
            u = isotropic()
            energy = max(energy*(0.5_dp + 0.5_dp*rnd()), 0.02_dp)
        end do
    end subroutine follow

    ! Every generation begins with as many neutrons as the first, taken from the sites that are newest.
    subroutine run_generation(generation, histories)
        integer, intent(in) :: generation, histories
        type(site), pointer :: from
        integer :: n
        from => fission%first
        do n = 1, histories
            if (associated(from)) then
                call follow(from%position, from%direction, from%energy, generation)
                from => from%next
            else
                call follow([0.0_dp, 0.0_dp, 0.0_dp], isotropic(), 1.5_dp, generation)
            end if
        end do
    end subroutine run_generation
end module transport

program neutron
    use transport
    implicit none
    integer :: generation, before
    call read_library(8000, 60)
    do generation = 1, 60
        before = fission%count
        call run_generation(generation, 3500)
        if (mod(generation, 20) == 0) print '(a, i4, a, f7.4)', 'generation', generation, ', k =', real(fission%count - before)/3500
    end do
    print '(a, es12.4, a, i8, a)', 'flux', sum(flux), ',', fission%count, ' sites'
end program neutron
